package nats

import (
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"issues-index/index/share"
	"issues-index/store/mirror"
)

// The headers of a version, besides those of JetStream.
const (
	headerDocument = "Ii"        // format, hash of the file's bytes, path
	headerFence    = "Ii-Fence"  // of the lease of the line
	headerCommit   = "Ii-Commit" // that was checked out
	headerGone     = "Ii-Gone"   // the document was deleted
	headerBlob     = "Ii-Blob"   // the number of pieces of the body, which are in blobsStream
)

// format is the first word of headerDocument. A reader skips messages of others, and says so.
const format = "1"

const (
	maxPath   = 1024 // bytes
	maxPieces = 64
)

// envelope writes all of a version but its body.
func envelope(v share.DocumentVersion) *nats.Msg {
	h := nats.Header{}
	path := strings.ReplaceAll(url.PathEscape(v.Path), "%2F", "/")
	h.Set(jetstream.MsgIDHeader, v.ID())
	h.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(v.Replaces, 10))
	h.Set(headerDocument, format+" "+hex.EncodeToString(v.Hash[:])+" "+path)
	if v.Fence != 0 {
		h.Set(headerFence, strconv.FormatUint(v.Fence, 10))
	}
	if v.Commit != "" {
		h.Set(headerCommit, v.Commit)
	}
	if v.Gone {
		h.Set(headerGone, "1")
	}
	return &nats.Msg{Subject: documentSubject(v.Line, v.Path), Header: h}
}

// A stored is what was read of one message of docsStream.
type stored struct {
	share.DocumentVersion // without Data
	pieces                int
}

// parse reads all of a message but its body. It trusts nothing: whoever may publish for one
// workspace can write any headers there. The error is a *share.MessageError.
func parse(subject string, header nats.Header, position uint64) (stored, error) {
	s, reason := parseHeaders(subject, header)
	s.Position = position
	if reason != "" {
		return stored{}, &share.MessageError{Line: s.Line, Position: position, Reason: reason}
	}
	return s, nil
}

func parseHeaders(subject string, header nats.Header) (s stored, reason string) {
	parts := strings.Split(subject, ".")
	if len(parts) != 4 || parts[0] != "docs" || !mirror.IsName(parts[1]) || !mirror.IsName(parts[2]) {
		return s, "it stands where no document does"
	}
	s.Line = mirror.Line{Workspace: parts[1], Name: parts[2]}

	words := strings.Split(header.Get(headerDocument), " ")
	if words[0] != format {
		return s, fmt.Sprintf("its format is %.20q and not %s; a newer version of this program may know it", words[0], format)
	}
	if len(words) != 3 {
		return s, "its header is not complete"
	}
	if !decodeHash(&s.Hash, words[1]) {
		return s, "its hash is not one"
	}
	path, err := url.PathUnescape(words[2])
	if err != nil || len(path) > maxPath || !fs.ValidPath(path) || path == "." || strings.ContainsFunc(path, func(r rune) bool { return r < ' ' }) {
		return s, "its path is not one"
	}
	if documentSubject(s.Line, path) != subject {
		return s, fmt.Sprintf("its path %.200q belongs to another place", path)
	}
	s.Path = path
	if reason := s.readOrigin(header.Get(jetstream.MsgIDHeader)); reason != "" {
		return s, reason
	}
	reason = s.readOthers(header)
	return s, reason
}

func decodeHash(hash *share.Hash, text string) bool {
	if len(text) != hex.EncodedLen(len(hash)) {
		return false
	}
	_, err := hex.Decode(hash[:], []byte(text))
	return err == nil
}

// readOrigin reads what DocumentVersion.ID has written.
func (s *stored) readOrigin(id string) (reason string) {
	parts := strings.Split(id, "/")
	if len(parts) != 4 || parts[0] != s.Line.Workspace || parts[1] != s.Line.Name || parts[2] == "" || len(parts[2]) > 64 {
		return "its id belongs to another line"
	}
	rev, err := strconv.ParseUint(parts[3], 10, 64)
	if err != nil {
		return "its id has no number"
	}
	s.Origin = share.Origin{Epoch: parts[2], Rev: rev}
	return ""
}

func (s *stored) readOthers(header nats.Header) (reason string) {
	if text := header.Get(headerFence); text != "" {
		fence, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return "its fence is no number"
		}
		s.Fence = fence
	}
	s.Commit = header.Get(headerCommit)
	if len(s.Commit) > 64 || strings.Trim(s.Commit, "0123456789abcdef") != "" {
		return "its commit is not one"
	}
	s.Gone = header.Get(headerGone) != ""
	if s.Gone && s.Hash != (share.Hash{}) {
		return "it is deleted and has a hash"
	}
	if text := header.Get(headerBlob); text != "" {
		pieces, err := strconv.Atoi(text)
		if err != nil || pieces < 1 || pieces > maxPieces || s.Gone {
			return "the number of its pieces is not one"
		}
		s.pieces = pieces
	}
	return ""
}

func (s stored) head() share.Head {
	return share.Head{Line: s.Line, Path: s.Path, Origin: s.Origin, Fence: s.Fence, Gone: s.Gone, Hash: s.Hash, Position: s.Position}
}

// version adds the packed body, and checks it. The error is a *share.MessageError.
func (s stored) version(p *packer, body []byte) (share.DocumentVersion, error) {
	wrong := func(reason string) (share.DocumentVersion, error) {
		return share.DocumentVersion{}, &share.MessageError{Line: s.Line, Position: s.Position, Reason: reason}
	}
	v := s.DocumentVersion
	if v.Gone {
		return v, nil
	}
	data, err := p.unpack(body)
	if err != nil {
		return wrong("its body cannot be unpacked: " + err.Error())
	}
	if share.HashOf(data) != v.Hash {
		return wrong("its body is not that of its hash")
	}
	v.Data = data
	return v, nil
}
