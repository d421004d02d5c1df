// Package web serves the documents of a workspace as pages for people: an overview, lists,
// searches, boards, documents, the graph of what waits for what, and work sessions.
//
// The pages are written here, from templates, and can be read without JavaScript. Every
// page asks the index the same questions as the tools and the commands: lists are
// [index.Index.Find] with criteria of package where and views of package views. There is no
// second path to the documents.
//
// It knows nothing about SQL, MCP or the terminal, nor about how it is listened for: package
// httpserver refuses foreign requests, and package dashboard has the page with figures. Its
// invariants:
//
//   - the text of a document is data: it is escaped or sanitised, and can neither run a
//     script, nor load anything, nor change the page around it;
//   - a page has a bounded number of rows and bytes, whatever the workspace holds;
//   - an error is a page that says what is wrong and what to do next;
//   - nothing is changed through it.
package web

import (
	"context"
	"embed"
	"log/slog"
	"net/http"
	"time"

	"issues-index/index"
)

//go:embed assets
var assets embed.FS

// patience is how long a page waits for the index.
const patience = 20 * time.Second

// Options say what the pages show.
type Options struct {
	// Acquire returns the index for one request, and what to call when that has ended.
	Acquire func(context.Context) (ix *index.Index, release func(), err error)
	// Me is who @me is in criteria, "" when nobody knows. It may change.
	Me func() string
	// Log gets the errors that a page does not show.
	Log *slog.Logger
}

// Pages serve the documents of a workspace.
type Pages struct{ Options }

// New returns the pages of a workspace.
func New(o Options) *Pages { return &Pages{o} }

// Register serves the pages, except those of package dashboard.
func (s *Pages) Register(mux *http.ServeMux) {
	for path, answer := range map[string]pageFunc{
		"/{$}":           overview,
		"/list":          list,
		"/search":        search,
		"/board":         board,
		"/d":             document,
		"/d/{id}":        document,
		"/graph":         graph,
		"/sessions":      sessions,
		"/sessions/{id}": oneSession,
		"/":              missing,
	} {
		mux.Handle(path, s.page(answer))
	}
	mux.HandleFunc("/style.css", file("assets/style.css", "text/css; charset=utf-8"))
	mux.HandleFunc("/app.js", file("assets/app.js", "text/javascript; charset=utf-8"))
}

// file serves a file of the pages.
func file(name, mediaType string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		data, err := assets.ReadFile(name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", mediaType)
		_, _ = w.Write(data) // a client that has gone needs no answer
	}
}
