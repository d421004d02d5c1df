// Package webexport writes pages as files, which a browser shows from the disk or from
// below any path of a web server.
//
// It starts at the page /, and follows the links of pages. It knows nothing about documents,
// nor about how pages are made: it asks their handler, as a browser would. Its invariants:
//
//   - every link of a file leads to another file of the export, out of it, or to a place on
//     the same page;
//   - a link in the text of a document makes no page: it leads to a document, if there is one,
//     so that no text can make the export larger than the workspace;
//   - no file is written outside of the folder, through a link, or in place of one that is
//     not from an earlier export; each is written whole;
//   - pages of an earlier export that are no more are removed.
package webexport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"issues-index/store/cachedir"
)

// mark is in the first bytes of every file, and tells that it may be replaced.
const mark = "Written by issues-index export html"

// marks are comments with the mark, by the type of the file.
var marks = map[string]string{
	".html": "<!-- " + mark + " -->\n",
	".css":  "/* " + mark + " */\n",
	".svg":  "<!-- " + mark + " -->\n",
}

func isOurs(head []byte) bool { return bytes.Contains(head, []byte(mark)) }

// A NotEmptyError says that a folder has files that are not from an earlier export.
type NotEmptyError struct{ Dir string }

func (e *NotEmptyError) Error() string {
	return e.Dir + " is not empty, and its files are not from an earlier export"
}

// An Exported says what was written.
type Exported struct {
	Dir     string // absolute
	Pages   int
	Removed int // pages of an earlier export
	Bytes   int64
}

// An export is being written.
type export struct {
	Exported
	pages   http.Handler
	top     *cachedir.Dir
	folders map[string]*cachedir.Dir // by name, those below top
	names   map[string]string        // of files, by the address of the page
	taken   map[string]bool          // these names, in lower case
	numbers map[string]int           // to try next, by what names begin with, in lower case
	// Addresses to write. All documents are in lists: once those are written, it is known
	// which links of texts lead to one.
	lists, documents []string
}

// Write writes pages into a folder, which is made where it is missing. written is called, unless
// it is nil, with how many there are so far, and how many are known. An export that ends early can be done
// again: what it has written is complete.
func Write(ctx context.Context, dir string, pages http.Handler, written func(done, known int)) (Exported, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Exported{}, err
	}
	top, err := cachedir.Open(dir, 0o755)
	if err != nil {
		return Exported{}, err
	}
	e := &export{Exported: Exported{Dir: top.Path()}, pages: pages, top: top, folders: map[string]*cachedir.Dir{},
		names: map[string]string{}, taken: map[string]bool{}, numbers: map[string]int{}}
	if err = e.checkFolder(); err == nil {
		err = e.writeAll(ctx, written)
	}
	if err == nil {
		err = e.removeOthers()
	}
	for _, folder := range e.folders {
		err = errors.Join(err, folder.Close())
	}
	return e.Exported, errors.Join(err, top.Close())
}

// indexFile is written first: the folder of an export that was broken off has it, too.
const indexFile = "index.html"

func (e *export) checkFolder() error {
	all, err := e.top.Names("")
	if err != nil || len(all) == 0 {
		return err
	}
	if _, err := e.top.Stat(indexFile); err != nil || e.top.Check(indexFile, isOurs) != nil {
		return &NotEmptyError{e.Dir}
	}
	return nil
}

func (e *export) writeAll(ctx context.Context, written func(done, known int)) error {
	e.name("/")
	for len(e.lists)+len(e.documents) > 0 {
		next := &e.lists
		if len(*next) == 0 {
			next = &e.documents
		}
		address := (*next)[0]
		*next = (*next)[1:]
		if err := e.write(ctx, address); err != nil {
			return err
		}
		if written != nil {
			written(e.Pages, len(e.names))
		}
	}
	return nil
}

// write writes the page at an address. One that says that something is not there is written,
// too: documents may be deleted meanwhile.
func (e *export) write(ctx context.Context, address string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return fmt.Errorf("export %s: %w", address, err)
	}
	answer := &handlerAnswer{status: http.StatusOK, header: http.Header{}}
	e.pages.ServeHTTP(answer, request)
	if answer.status >= http.StatusInternalServerError {
		return fmt.Errorf("the page %s cannot be made: %s", address, http.StatusText(answer.status))
	}
	name, data := e.names[address], answer.body.Bytes()
	if path.Ext(name) == ".html" {
		data = e.relink(name, data)
		e.Pages++
	}
	e.Bytes += int64(len(data))
	folder, err := e.folder(path.Dir(name))
	if err != nil {
		return err
	}
	if err := folder.Check(path.Base(name), isOurs); err != nil {
		return err
	}
	return folder.Replace(path.Base(name), withMark(name, data))
}

// withMark is the content of a file with its mark: behind the document type of a page, since
// a browser takes a page without one at its beginning for an old one.
func withMark(name string, data []byte) []byte {
	comment := marks[path.Ext(name)]
	const docType = "<!doctype html>"
	if rest, ok := bytes.CutPrefix(data, []byte(docType)); ok {
		return slices.Concat([]byte(docType+"\n"+comment), bytes.TrimPrefix(rest, []byte("\n")))
	}
	return slices.Concat([]byte(comment), data)
}

// folder opens a folder of the export, which is made where it is missing.
func (e *export) folder(name string) (*cachedir.Dir, error) {
	if name == "." {
		return e.top, nil
	}
	if e.folders[name] == nil {
		folder, err := e.top.Sub(name)
		if err != nil {
			return nil, err
		}
		e.folders[name] = folder
	}
	return e.folders[name], nil
}

// removeOthers removes the pages of an earlier export, and what a killed one was writing.
func (e *export) removeOthers() error {
	for _, name := range []string{".", "d", "list", "board", "problems", "sessions"} {
		folder, err := e.folder(name)
		if err != nil {
			return err
		}
		all, err := folder.Names("")
		if err != nil {
			return err
		}
		for _, file := range all {
			switch {
			case cachedir.IsTemporary(file):
				err = folder.Discard(file)
			case path.Ext(file) == ".html" && !e.taken[strings.ToLower(path.Join(name, file))] &&
				folder.Check(file, isOurs) == nil:
				e.Removed++
				err = folder.Discard(file)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// A handlerAnswer keeps what the handler answers.
type handlerAnswer struct {
	status int
	header http.Header
	body   bytes.Buffer
}

// Header returns the header of the answer.
func (r *handlerAnswer) Header() http.Header { return r.header }

// WriteHeader keeps the status.
func (r *handlerAnswer) WriteHeader(status int) { r.status = status }

// Write keeps a part of the body.
func (r *handlerAnswer) Write(p []byte) (int, error) { return r.body.Write(p) }
