// Package wire writes the versions of documents as messages, and reads them: subjects, headers
// and packed bodies.
//
// It knows nothing about connections or servers. Its invariant: a message is not trusted.
// Whoever may publish for one workspace can write any bytes there, so that nothing passes for
// a version but what this package writes.
package wire

import (
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"strconv"
	"strings"

	"issues-index/index/share"
	"issues-index/store/mirror"
)

// Stream is the stream of all versions.
const Stream = "DOCS"

// The headers of a version. By the first two the server refuses a message that is not meant
// for its stream, or whose place another one has taken. No version is without them: what the
// server itself puts somewhere for a user who may not write there has none, or has those of
// another place.
const (
	headerStream    = "Nats-Expected-Stream"
	headerReplaces  = "Nats-Expected-Last-Subject-Sequence"
	headerElsewhere = "Nats-Expected-Last-Subject-Sequence-Subject" // asks about another subject
	// HeaderCopied is in every answer of a server that has a stored message. Requests say where
	// the answer goes: it is no version, whatever it says.
	HeaderCopied = "Nats-Stream"

	headerDocument = "Ii"        // format, hash of the file's bytes, path
	headerID       = "Ii-Id"     // of the publication, as share.DocumentVersion.ID writes it
	headerFence    = "Ii-Fence"  // of the lease of the line
	headerCommit   = "Ii-Commit" // that was checked out
	headerGone     = "Ii-Gone"   // the document was deleted
	headerPieces   = "Ii-Blob"   // of older versions of this program: the body lies apart, in pieces
)

// format is the first word of headerDocument. A reader skips messages of others, and says so.
const format = "1"

// maxPath is the longest path of a document, in bytes.
const maxPath = 1024

// A StoredVersion is a version as the header of a message has it: without Data.
type StoredVersion struct{ share.DocumentVersion }

// Header writes all of a version but its body.
func (s StoredVersion) Header() map[string][]string {
	path := strings.ReplaceAll(url.PathEscape(s.Path), "%2F", "/")
	header := map[string][]string{
		headerDocument: {format + " " + hex.EncodeToString(s.Hash[:]) + " " + path},
		headerID:       {s.ID()},
		headerStream:   {Stream},
		headerReplaces: {strconv.FormatUint(s.Replaces, 10)},
	}
	if s.Fence != 0 {
		header[headerFence] = []string{strconv.FormatUint(s.Fence, 10)}
	}
	if s.Commit != "" {
		header[headerCommit] = []string{s.Commit}
	}
	if s.Gone {
		header[headerGone] = []string{"1"}
	}
	return header
}

// Parse reads all of a message but its body. The error is a *share.MessageError.
func Parse(subject string, header map[string][]string, position uint64) (StoredVersion, error) {
	s, reason := parse(subject, header)
	if s.Position = position; reason == "" {
		reason = s.readPlace(header)
	}
	if reason != "" {
		return StoredVersion{}, &share.MessageError{Line: s.Line, Path: s.Path, Position: position, Reason: reason}
	}
	return s, nil
}

func parse(subject string, header map[string][]string) (s StoredVersion, reason string) {
	parts := strings.Split(subject, ".")
	if len(parts) != 4 || parts[0] != "docs" || !mirror.IsName(parts[1]) || !mirror.IsName(parts[2]) {
		return s, "it stands where no document does"
	}
	s.Line = mirror.Line{Workspace: parts[1], Name: parts[2]}

	words := strings.Split(first(header, headerDocument), " ")
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
	if DocumentSubject(s.Line, path) != subject {
		return s, fmt.Sprintf("its path %.200q belongs to another place", path)
	}
	s.Path = path
	if reason := s.readOrigin(first(header, headerID)); reason != "" {
		return s, reason
	}
	reason = s.readOthers(header)
	return s, reason
}

// first is the value of a header, "" for none.
func first(header map[string][]string, name string) string {
	if values := header[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

func decodeHash(hash *share.Hash, text string) bool {
	if len(text) != hex.EncodedLen(len(hash)) {
		return false
	}
	_, err := hex.Decode(hash[:], []byte(text))
	return err == nil
}

// readPlace reads what the server was asked to look at before it stored the message.
func (s *StoredVersion) readPlace(header map[string][]string) (reason string) {
	replaces, err := strconv.ParseUint(first(header, headerReplaces), 10, 64)
	if err != nil || len(header[headerReplaces]) != 1 || len(header[headerStream]) != 1 || header[headerStream][0] != Stream {
		return "it was stored without regard to what stood there"
	}
	if len(header[headerElsewhere])+len(header[HeaderCopied]) > 0 || s.Position > 0 && replaces >= s.Position {
		return "it was copied from another place"
	}
	s.Replaces = replaces
	return ""
}

// readOrigin reads what DocumentVersion.ID has written.
func (s *StoredVersion) readOrigin(id string) (reason string) {
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

func (s *StoredVersion) readOthers(header map[string][]string) (reason string) {
	if text := first(header, headerFence); text != "" {
		fence, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return "its fence is no number"
		}
		s.Fence = fence
	}
	s.Commit = first(header, headerCommit)
	if len(s.Commit) > 64 || strings.Trim(s.Commit, "0123456789abcdef") != "" {
		return "its commit is not one"
	}
	s.Gone = first(header, headerGone) != ""
	if s.Gone && s.Hash != (share.Hash{}) {
		return "it is deleted and has a hash"
	}
	if first(header, headerPieces) != "" {
		return fmt.Sprintf("it has more than %d bytes, packed: update the machine that has published it", share.MaxPacked)
	}
	return ""
}

// Version adds the packed body, and checks it. The error is a *share.MessageError.
func (s StoredVersion) Version(p *Packer, body []byte) (share.DocumentVersion, error) {
	wrong := func(reason string) (share.DocumentVersion, error) {
		return share.DocumentVersion{}, &share.MessageError{Line: s.Line, Path: s.Path, Position: s.Position, Reason: reason}
	}
	v := s.DocumentVersion
	if v.Gone {
		return v, nil
	}
	data, err := p.Unpack(body)
	if err != nil {
		return wrong("its body cannot be unpacked: " + err.Error())
	}
	if share.HashOf(data) != v.Hash {
		return wrong("its body is not that of its hash")
	}
	v.Data = data
	return v, nil
}
