package web

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"issues-index/index"
	"issues-index/index/where"
	"issues-index/store/pattern"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/auth"
	"issues-index/tools/dashboard"
)

//go:embed templates
var templateFiles embed.FS

// maxCell is the longest text of a cell, in characters.
const maxCell = 300

// A pageRequest is one request for a page.
type pageRequest struct {
	*http.Request
	ix     *index.Index
	me     string
	edit   bool // the page may have forms that write
	static bool // it is exported
	log    *slog.Logger

	figures *dashboard.Dashboard // of calls, nil for none

	rendering chan struct{} // takes one for each text that is rendered now
	notices   *notices
}

// A pageFunc answers a request with the content of a page.
type pageFunc func(*pageRequest) (pageContent, error)

// A pageContent is what a template shows in the middle of a page.
type pageContent struct {
	Template string // its name
	Title    string
	Here     string // path of the page's entry in the navigation, "" for none
	Data     any
	Status   int    // 0 for 200
	Location string // where the client is led instead of being shown a page, a path of these pages; "" for nowhere
}

// A shownPage is a page as its template sees it.
type shownPage struct {
	pageContent
	Workspace string
	Search    string // what was searched for
	Nav       []navEntry
	Static    bool    // it is exported: no server answers
	Rev       string  // names the state of the documents that it shows
	Edit      bool    // it may have forms that write
	Token     string  // of these forms
	SignedIn  bool    // it was asked for with a token
	Posted    bool    // it answers a form: it cannot be asked for again
	Notice    *notice // of what a form has changed, nil for none
	From      string  // the address of the page, without the notice's
}

// A navEntry leads to a page: in the bar where it has a symbol, else in the menu of the workspace.
type navEntry struct {
	Path, Name, Icon string
	Off              bool // a narrow bar leaves it out
}

// navigation has the pages.
var navigation = []navEntry{
	{Path: "/", Name: "Overview", Icon: "i-home"}, {Path: "/list", Name: "List", Icon: "i-list"},
	{Path: "/board", Name: "Board", Icon: "i-board"}, {Path: "/agents", Name: "Agents", Icon: "i-agents"},
	{Path: "/graph", Name: "Graph", Icon: "i-graph", Off: true},
	{Path: "/problems", Name: "Problems"}, {Path: "/graph", Name: "Graph"},
}

// page makes a handler of a pageFunc.
func (s *Pages) page(answer pageFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		shown := shownPage{
			Nav: navigation, Posted: r.Method == http.MethodPost, Search: words.Cut(r.URL.Query().Get("q"), maxCell),
			Notice: s.notices.get(r.URL.Query().Get("said")), From: addressWithout(r.URL, "said"),
		}
		layouts := servedTemplates
		if s.Static {
			shown.Static, layouts = true, staticTemplates
		}
		subject := auth.PrincipalOf(r.Context())
		shown.SignedIn = subject != nil
		edit := s.Edit && subject.May(auth.Write)
		if edit {
			shown.Edit, shown.Token = true, string(s.secret)
		}
		var err error
		ix, release, acquired := s.Acquire(ctx)
		if acquired == nil {
			defer release()
			shown.Workspace = filepath.Base(ix.Workspace().Root)
			if !s.Static {
				shown.Rev = s.revision(ctx, ix)
			}
			shown.pageContent, err = answer(
				&pageRequest{r.WithContext(ctx), ix, s.Me(ctx), edit, s.Static, s.Log, s.Figures, s.rendering, &s.notices},
			)
		}
		if err := cmp.Or(acquired, err); err != nil {
			shown.pageContent = s.errorPage(r, err)
		}
		if shown.Location != "" {
			http.Redirect(w, r, shown.Location, http.StatusSeeOther)
			return
		}
		var text bytes.Buffer // whole, so that an error is no half page
		if err := layouts().ExecuteTemplate(&text, shown.Template+".html", shown); err != nil {
			s.Log.Error("write a page", "template", shown.Template, "error", err)
			http.Error(w, "The page cannot be written; the log has the reason.", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(cmp.Or(shown.Status, http.StatusOK))
		_, _ = w.Write(text.Bytes()) // a client that has gone needs no answer
	})
}

// revision names the state of the documents before a page is made, so that the page learns of
// every change that it may not show. Without a name it is read again at the first event.
func (s *Pages) revision(ctx context.Context, ix *index.Index) string {
	c, err := ix.Differences(ctx, index.Moment{})
	if err != nil {
		s.Log.Debug("name the state of the documents", "error", err)
		return ""
	}
	return c.Now.String()
}

// A shownError is what the page of an error shows.
type shownError struct {
	Message, Hint string
	Kept          string      // a text that a person has typed and that was not written
	Candidates    []index.Row // the documents that may be meant
}

// statuses are the HTTP statuses of errors, by their codes.
var statuses = map[tools.Code]int{
	tools.CodeValidation: http.StatusBadRequest, tools.CodeInvalidCursor: http.StatusBadRequest,
	tools.CodePathTraversal: http.StatusBadRequest,
	tools.CodeMissingField:  http.StatusBadRequest, tools.CodeAmbiguousID: http.StatusMultipleChoices,
	tools.CodeIssueNotFound: http.StatusNotFound, tools.CodeNotFound: http.StatusNotFound,
	tools.CodeFileNotFound: http.StatusNotFound,
	tools.CodeConflict:     http.StatusConflict, tools.CodeAlreadyExists: http.StatusConflict,
	tools.CodePermissionDenied: http.StatusForbidden,
	tools.CodeTimeout:          http.StatusServiceUnavailable, tools.CodeLocked: http.StatusServiceUnavailable,
}

func (s *Pages) errorPage(r *http.Request, err error) pageContent {
	var given *pageError
	if errors.As(err, &given) {
		return pageContent{Template: "error", Title: given.title, Status: given.status, Data: given.shownError}
	}
	e, f := tools.ErrorOf(err), shownError{}
	if lost := (*lostDocument)(nil); errors.As(err, &lost) {
		f.Kept = lost.typed
	}
	if e.Code == tools.CodeInternal {
		s.Log.Error("answer a page", "path", r.URL.Path, "error", err)
		f.Message, f.Hint = e.Message, "Load the page again."
		return pageContent{Template: "error", Title: "Error", Status: http.StatusInternalServerError, Data: f}
	}
	f.Message, f.Hint = e.Terminal()
	if several := (*index.AmbiguousError)(nil); errors.As(err, &several) {
		f.Message, f.Hint, f.Candidates = e.Message, "Choose the document that you mean.", several.Candidates
	}
	status := cmp.Or(statuses[e.Code], http.StatusInternalServerError)
	title := "Error"
	switch status {
	case http.StatusNotFound:
		title = "Not found"
	case http.StatusMultipleChoices:
		title = "Several documents"
	}
	return pageContent{Template: "error", Title: title, Status: status, Data: f}
}

// A pageError is an error that only pages have.
type pageError struct {
	status int
	title  string
	shownError
}

func (e *pageError) Error() string { return e.Message }

// moved leads to where a page is now.
func moved(to string) pageFunc {
	return func(*pageRequest) (pageContent, error) { return pageContent{Location: to}, nil }
}

// missing answers for a path that no page has.
func missing(*pageRequest) (pageContent, error) {
	return pageContent{}, &pageError{
		http.StatusNotFound, "Not found",
		shownError{
			Message: "There is no such page.",
			Hint:    "The navigation above has all pages. The page of a document is /d/ and its id.",
		},
	}
}

// plainID is an id that needs no escape in a path.
var plainID = pattern.Lazy(`^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$`)

// documentLink is the address of a document's page. A path names the document where its id
// does not.
func documentLink(row index.Row) string {
	if !row.Shared && plainID().MatchString(row.ID) {
		return "/d/" + row.ID
	}
	return "/d?" + url.Values{"path": {row.Path}}.Encode()
}

// below is the address of a page that belongs to the one of a document.
func below(name string, row index.Row) string {
	if to := documentLink(row); strings.HasPrefix(to, "/d/") {
		return to + "/" + name
	}
	return "/" + name + "?" + url.Values{"path": {row.Path}}.Encode()
}

// addressWithout is an address without one of its parameters.
func addressWithout(u *url.URL, key string) string {
	query := u.Query()
	if query.Del(key); len(query) == 0 {
		return u.EscapedPath()
	}
	return u.EscapedPath() + "?" + query.Encode()
}

// listLink is the address of the list of what criteria let through.
func listLink(criteria string) string {
	return selection{Path: "/list", View: "all", Where: criteria}.Address()
}

// labelled are the criteria for a label.
func labelled(label string) string { return "labels = " + where.Value(label) }
