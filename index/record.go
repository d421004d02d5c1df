package index

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"issues-index/index/search"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/markdown"
	"issues-index/store/pattern"
)

// A record is a file as it was read, and, once prepared, the document in it, and,
// once fed, its words: everything that costs time and needs no database, so that
// several goroutines can do it at once.
type record struct {
	file    store.File
	hash    []byte // of the file
	readAt  int64  // nanoseconds since 1970, before the file was read
	data    []byte // until it is prepared
	readErr error  // why there is no data

	doc   *store.Document
	text  []byte            // the body, compressed, once it is prepared
	boxes markdown.BoxCount // of the body, likewise

	fields     []keyedValue // once it is prepared
	moreFields bool         // it has more than these

	references     []referenceRow // once it is prepared
	moreReferences bool           // it has more than these

	// written says that this process has just replaced the file and read it back: its
	// times need not be old to prove that it has not changed.
	written bool

	fed                 bool
	title, labels, body string   // what the full-text table is fed
	terms               []string // words the vocabulary did not have yet
	limited             bool     // the document has more words than it is fed
}

// hashSize is how much of the SHA-256 is kept: enough that no two versions of
// a document ever meet by chance.
const hashSize = 16

func hashOf(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:hashSize]
}

// hashOfUnread stands for the hash of a file that cannot be read: that of what is
// said of it. It is a byte shorter, so that it is never the hash of a text.
func hashOfUnread(s store.Stat, reason error) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d bytes: %v", s.Size, reason))
	return sum[:hashSize-1]
}

// versionOf is the version of the file that has a hash, "" for a file that was not read.
func versionOf(hash []byte) string {
	if len(hash) != hashSize {
		return ""
	}
	return store.VersionOf(hash)
}

// transientErrors say nothing of a file, only of this moment.
var transientErrors = []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO, syscall.EINTR}

// readRecord makes the record of a file as it is now, not prepared yet; nil when a walk
// would not list it, because it is gone, say. A file that is listed and cannot be
// read makes a record that says so.
func readRecord(ws *store.Workspace, path string, collection *store.Collection) (*record, error) {
	readAt := time.Now().UnixNano()
	data, stat, err := ws.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, moment := range transientErrors {
		if errors.Is(err, moment) {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
	}
	r := &record{
		file: store.File{Path: path, Collection: collection, Stat: stat},
		data: data, readErr: err, readAt: readAt,
	}
	if err == nil {
		r.hash = hashOf(data)
		return r, nil
	}
	if stat == (store.Stat{}) {
		// A walk lists the files that it can describe, and no others: no links that
		// lead out of the workspace, or in circles.
		if r.file.Stat, err = ws.Stat(path); err != nil {
			return nil, nil //nolint:nilerr // the walk tells of it
		}
	}
	r.hash = hashOfUnread(r.file.Stat, r.readErr)
	return r, nil
}

// prepare reads the document out of what was read, once. Most files that are
// read have not changed, and need no more than their hash.
func (r *record) prepare(ws *store.Workspace) {
	if r.text != nil {
		return
	}
	if r.doc == nil {
		r.doc = ws.Parse(r.file, r.data, r.readErr)
	}
	r.text = packed(r.bodyBytes())
	r.boxes = markdown.CountBoxes(r.doc.Body)
	r.fields, r.moreFields = keyedValues(r.doc)
	r.references, r.moreReferences = referenceRows(ws, r.doc)
	r.data = nil
}

// bodyBytes returns the body of the document. Nearly always the end of what was read is that, and needs
// no copy.
func (r *record) bodyBytes() []byte {
	if start := len(r.data) - len(r.doc.Body); start >= 0 && string(r.data[start:]) == r.doc.Body {
		return r.data[start:]
	}
	return []byte(r.doc.Body)
}

// feed makes what the full-text table takes of a prepared record, and notes
// the words that the vocabulary does not have.
func (r *record) feed(v *search.Vocabulary) {
	fields, limited := search.LimitWords(
		string(search.Feed(nil, r.doc.Title)),
		string(search.FeedLines(nil, strings.Join(r.doc.Labels, "\n"))),
		string(search.Feed(make([]byte, 0, len(r.doc.Body)+1), r.doc.Body)),
	)
	for _, words := range fields {
		r.terms = append(r.terms, v.Missing(words)...)
	}
	r.title, r.labels, r.body = fields[0], fields[1], fields[2]
	r.fed, r.limited = true, limited
}

// finished reports whether a document is done with: by its status, or because it was put
// away.
func finished(r *record) bool {
	return r.doc.Finished() || r.file.Collection.Archives(r.file.Path)
}

var (
	lastNumber   = pattern.Lazy(`([0-9]+(?:\.[0-9]+)*)[^0-9]*$`)
	leadingZeros = pattern.Lazy(`\b0+([0-9])`)
)

// idNumber is the last number in an id without its leading zeros, "" when there is none. The
// digits of a hash are no number.
// The number of a child, like 24.1, has that of its parent in it.
func idNumber(id string) string {
	found := lastNumber().FindStringSubmatch(id)
	if found == nil || store.IsHashID(id) {
		return ""
	}
	return leadingZeros().ReplaceAllString(found[1], "$1")
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// foldTitle is the form in which titles are compared.
func foldTitle(title string) string { return search.Fold(strings.TrimSpace(title)) }

// openTitle is the title that no new document may repeat while this one is worked
// on or waits, "" for the others.
func openTitle(d *store.Document) string {
	if category := d.Category(); category == layout.Open || category == layout.Active {
		return foldTitle(d.Title)
	}
	return ""
}

// jsonTexts are texts as a JSON list.
func jsonTexts(texts []string) string {
	if len(texts) == 0 {
		return "[]"
	}
	text, err := json.Marshal(texts)
	if err != nil { // a list of strings always has a JSON form
		return "[]"
	}
	return string(text)
}

// unwatched reports whether edits of the file can escape a watch on its
// folder: they reach a symlink's target, or a hard link's other name, elsewhere. Nothing tells either
// that a program lets go of a file which could not be read, and has no inode for that reason.
func unwatched(s store.Stat) bool { return s.Symlink || s.Links > 1 || s.Inode == 0 }
