package share

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"strconv"
	"strings"

	"issues-index/store/mirror"
	"issues-index/store/pattern"
)

// DocumentStream is the stream of all versions.
const DocumentStream = "DOCS"

// The headers of a message. By the first two the server refuses a message that is not meant for
// its stream, or whose place another one has taken.
const (
	headerStream   = "Nats-Expected-Stream"
	headerReplaces = "Nats-Expected-Last-Subject-Sequence"
	// headerCopied is in every answer of a server that has a stored message. Requests say where
	// the answer goes, also into other workspaces: it is no version, whatever it says. The server adds
	// it after a header of that name that the message had, which may be empty.
	headerCopied = "Nats-Stream"

	headerDocument = "Ii"        // format, hash of the file's bytes, path
	headerID       = "Ii-Id"     // of the publication, as DocumentVersion.ID writes it
	headerFence    = "Ii-Fence"  // of the lease of the branch, for older programs
	headerCommit   = "Ii-Commit" // that was checked out
	headerGone     = "Ii-Gone"   // the document was deleted
	headerPieces   = "Ii-Blob"   // of older versions of this program: the body lies apart, in pieces
)

// messageFormat is the first word of headerDocument. A reader skips messages of others, and says so.
const messageFormat = "1"

// maxPath is the longest path of a document, in bytes.
const maxPath = 1024

var subjectEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// DocumentSubject is where the versions of a document are published: docs.WORKSPACE.BRANCH.HASH. A
// path may have letters that a subject may not, so that a hash of 16 characters stands for it.
func DocumentSubject(branch mirror.Branch, path string) string {
	sum := sha256.Sum256([]byte(path))
	return fmt.Sprintf("docs.%s.%s.%s", branch.Workspace, branch.Name, subjectEncoding.EncodeToString(sum[:10]))
}

// SubjectToken writes any text as one part of a subject: letters and digits of ASCII, hyphens and
// underscores stand for themselves, every other byte is = and two
// hexadecimal digits: "a b" is a=20b.
func SubjectToken(text string) string {
	return otherThanToken().ReplaceAllStringFunc(text, func(letter string) string {
		return "=" + strings.ReplaceAll(fmt.Sprintf("% x", letter), " ", "=")
	})
}

var otherThanToken = pattern.Lazy(`[^A-Za-z0-9_-]`)

// IsCopied reports whether a server has put a message where it stands as the answer to a request.
func IsCopied(header map[string][]string) bool { return len(header[headerCopied]) > 0 }

// Header writes all of a version but its body.
func (v DocumentVersion) Header() map[string][]string {
	path := strings.ReplaceAll(url.PathEscape(v.Path), "%2F", "/")
	header := map[string][]string{
		headerDocument: {messageFormat + " " + hex.EncodeToString(v.Hash[:]) + " " + path},
		headerID:       {v.ID()},
		headerStream:   {DocumentStream},
		headerReplaces: {strconv.FormatUint(v.Replaces, 10)},
	}
	if v.Fence != 0 {
		header[headerFence] = []string{strconv.FormatUint(v.Fence, 10)}
	}
	if v.Commit != "" {
		header[headerCommit] = []string{v.Commit}
	}
	if v.Gone {
		header[headerGone] = []string{"1"}
	}
	return header
}

// ParseHeader reads all of a message but its body. The error is a *MessageError.
func ParseHeader(subject string, header map[string][]string, position uint64) (DocumentVersion, error) {
	v := DocumentVersion{Position: position}
	if reason := v.parse(subject, header); reason != "" {
		return DocumentVersion{}, v.wrong(reason)
	}
	return v, nil
}

func (v *DocumentVersion) wrong(reason string) error {
	return &MessageError{Branch: v.Branch, Path: v.Path, Position: v.Position, Reason: reason}
}

// parse returns what is wrong with a message, "" for nothing.
func (v *DocumentVersion) parse(subject string, header map[string][]string) (reason string) {
	parts := strings.Split(subject, ".")
	if len(parts) != 4 || parts[0] != "docs" || !mirror.IsName(parts[1]) || !mirror.IsName(parts[2]) {
		return "it stands where no document does"
	}
	v.Branch = mirror.Branch{Workspace: parts[1], Name: parts[2]}
	first := func(name string) string {
		if values := header[name]; len(values) > 0 {
			return values[0]
		}
		return ""
	}
	words := strings.Split(first(headerDocument), " ")
	switch {
	case words[0] != messageFormat:
		return fmt.Sprintf("its format is %.20q and not %s; a newer version of this program may know it",
			words[0], messageFormat)
	case len(words) != 3:
		return "its header is not complete"
	case IsCopied(header):
		return "it was copied from another place"
	}
	hash, err := hex.DecodeString(words[1])
	if err != nil || len(hash) != len(v.Hash) {
		return "its hash is not one"
	}
	v.Hash = Hash(hash)
	path, err := url.PathUnescape(words[2])
	isControl := func(r rune) bool { return r < ' ' }
	if err != nil || len(path) > maxPath || !fs.ValidPath(path) || path == "." || strings.ContainsFunc(path, isControl) {
		return "its path is not one"
	}
	if DocumentSubject(v.Branch, path) != subject {
		return fmt.Sprintf("its path %.200q belongs to another place", path)
	}
	v.Path = path
	id := strings.Split(first(headerID), "/")
	if len(id) != 4 || id[0] != v.Branch.Workspace || id[1] != v.Branch.Name || id[2] == "" || len(id[2]) > 64 {
		return "its id belongs to another line"
	}
	v.Origin.Epoch = id[2]
	if v.Origin.Rev, err = strconv.ParseUint(id[3], 10, 64); err != nil {
		return "its id has no number"
	}
	v.Commit, v.Gone = first(headerCommit), first(headerGone) != ""
	switch {
	case len(v.Commit) > 64 || strings.Trim(v.Commit, "0123456789abcdef") != "":
		return "its commit is not one"
	case v.Gone && v.Hash != (Hash{}):
		return "it is deleted and has a hash"
	case first(headerPieces) != "":
		return fmt.Sprintf("it has more than %d bytes, packed: update the machine that has published it", MaxPacked)
	}
	return ""
}

// WithBody adds the packed body of a message, and checks it. The error is a *MessageError.
func (v DocumentVersion) WithBody(p *Packer, body []byte) (DocumentVersion, error) {
	if v.Gone {
		return v, nil
	}
	data, err := p.Unpack(body)
	if err != nil {
		return DocumentVersion{}, v.wrong("its body cannot be unpacked: " + err.Error())
	}
	if HashOf(data) != v.Hash {
		return DocumentVersion{}, v.wrong("its body is not that of its hash")
	}
	v.Data = data
	return v, nil
}
