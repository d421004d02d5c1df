// Package web serves the documents of a workspace as pages for people: an overview, lists,
// searches, boards, documents, the graph of what waits for what, and work sessions.
//
// The pages are written here, from templates, and can be read without JavaScript. With it they
// follow the documents while they are open, and answer while a person types. Every page asks
// the index the same questions as the tools and the commands: lists are [index.Index.Find]
// with criteria of package where and views of package views. There is no second path to the
// documents.
//
// It knows nothing about SQL, MCP or the terminal, nor about how it is listened for: package
// transport refuses foreign requests, and package dashboard has the figures of calls. Its
// invariants:
//
//   - the text of a document is data: it is escaped or sanitised, and can neither run a
//     script, nor load anything, nor change the page around it;
//   - a page has a bounded number of rows and bytes, whatever the workspace holds;
//   - a page that is open shows the latest state, or says that it does not, within about a
//     second, and never takes from a person what is being typed;
//   - the cost of open pages is one look for changes for all of them, and one request of each
//     page that may show a change;
//   - an error is a page that says what is wrong and what to do next;
//   - nothing is changed through it unless [Options] allow that, and then only by a form of
//     this process that names the version of the document that its person has seen.
package web

import (
	"context"
	"embed"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"issues-index/index"
	"issues-index/tools/auth"
	"issues-index/tools/dashboard"
)

//go:embed assets
var assets embed.FS

// patience is how long a page waits for the index.
const patience = 20 * time.Second

// mostRendering is how many texts are rendered at a time. Each may take a processor for a part
// of a second, which tools and commands need, too.
const mostRendering = 2

// Options say what the pages show.
type Options struct {
	// Acquire returns the index for one request, and what to call when that has ended.
	Acquire func(context.Context) (ix *index.Index, release func(), err error)
	// Me is who @me is in the criteria of a request, "" when nobody knows. It may change.
	Me func(context.Context) string
	// Static leaves out what needs a server: forms and scripts.
	Static bool
	// Figures has the calls, nil to show none.
	Figures *dashboard.Dashboard
	// Edit lets the pages change documents.
	Edit bool
	// Log gets the errors that a page does not show.
	Log *slog.Logger
}

// Pages serve the documents of a workspace.
type Pages struct {
	Options
	secret  formSecret // of the forms that write
	feed    *feed
	readers auth.LastingAnswers // of events
	ended   chan struct{}       // closed by end
	end     func()

	rendering chan struct{} // has one for each text that is rendered now
	notices   notices
}

// New returns the pages of a workspace.
func New(o Options) *Pages {
	s := &Pages{
		Options: o, feed: newFeed(o), readers: auth.LastingAnswers{Most: maxReaders, Each: maxReadersEach},
		ended: make(chan struct{}), secret: newSecret(), rendering: make(chan struct{}, mostRendering),
	}
	s.end = sync.OnceFunc(func() { close(s.ended) })
	return s
}

// Register serves the pages.
func (s *Pages) Register(mux *http.ServeMux) {
	for path, answer := range map[string]pageFunc{
		"/{$}":            overview,
		"/list":           list,
		"/search":         search,
		"/board":          board,
		"/choose":         choosing,
		"/d":              document,
		"/d/{id}":         document,
		"/d/{id}/edit":    editing,
		"/edit":           editing,
		"/d/{id}/history": documentHistory,
		"/history":        documentHistory,
		"/new":            creating,
		"/go":             goTo,
		"/graph":          graph,
		"/agents":         agents,
		"/problems":       problems,
		"/sessions":       moved("/agents#sessions"),
		"/figures":        moved("/agents#figures"),
		"/sessions/{id}":  oneSession,
		"/":               missing,
	} {
		mux.Handle("GET "+path, s.page(answer))
	}
	for path, answer := range forms {
		mux.Handle("POST "+path, s.form(answer))
	}
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET /style.css", file("text/css; charset=utf-8", styles...))
	mux.HandleFunc("GET /icons.svg", file("image/svg+xml", "assets/icons.svg"))
	mux.HandleFunc("GET /icon.svg", file("image/svg+xml", "assets/icon.svg"))
	mux.HandleFunc("GET /app.js", file("text/javascript; charset=utf-8", scripts...))
}

// forms are what the pages send to change documents, by their paths.
var forms = map[string]formAnswer{
	"/save":    {save, unsaved},
	"/new":     {create, nil},
	"/tick":    {tick, nil},
	"/note":    {note, nil},
	"/claim":   {claim, nil},
	"/release": {release, nil},
	"/delete":  {remove, nil},
	"/undo":    {takeBack, nil},
}

// styles are the parts of the pages' one style sheet.
var styles = []string{"assets/tokens.css", "assets/parts.css", "assets/pages.css", "assets/agents.css"}

// scripts are the parts of the pages' one script, in the order in which they run.
var scripts = []string{
	"assets/times.js", "assets/live.js", "assets/type.js", "assets/choose.js", "assets/keys.js", "assets/edit.js",
}

// file serves a file of the pages, which may be written in several parts.
func file(mediaType string, parts ...string) http.HandlerFunc {
	text := sync.OnceValues(func() (text []byte, err error) {
		for _, name := range parts {
			data, err := assets.ReadFile(name)
			if err != nil {
				return nil, err
			}
			text = append(text, data...)
		}
		return text, nil
	})
	return func(w http.ResponseWriter, r *http.Request) {
		text, err := text()
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", mediaType)
		_, _ = w.Write(text) // a client that has gone needs no answer
	}
}
