package web

import (
	"html"
	"issues-index/tools/auth"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// editable serves a workspace whose pages may change it.
func editable(t testing.TB, f files) *testSite {
	t.Helper()
	s := serve(t, f)
	s.pages.Edit = true
	return s
}

// post sends a form as a browser does.
func (s *testSite) post(t testing.TB, target string, form url.Values, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, target, strings.NewReader(form.Encode()))
	r.Host = "localhost:8080"
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "http://localhost:8080")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// leadsTo is where a form leads to, without the name of what is said there.
func leadsTo(w *httptest.ResponseRecorder) string {
	return regexp.MustCompile(`[?&]said=[A-Z0-9]+$`).ReplaceAllString(w.Header().Get("Location"), "")
}

var (
	inputTag    = regexp.MustCompile(`<input [^>]*>`)
	attribute   = regexp.MustCompile(`(name|value|type)="([^"]*)"`)
	selectTag   = regexp.MustCompile(`(?s)<select [^>]*name="([^"]*)".*?</select>`)
	selectedTag = regexp.MustCompile(`<option value="([^"]*)" selected`)
	textTag     = regexp.MustCompile(`(?s)<textarea [^>]*name="text"[^>]*>\n(.*?)</textarea>`)
)

// formOf is what a browser would send of the form of a page.
func formOf(t testing.TB, page string) url.Values {
	t.Helper()
	_, page, ok := strings.Cut(page, `<form class="edit"`)
	if !ok {
		t.Fatalf("there is no form:\n%s", page)
	}
	form := url.Values{}
	for _, tag := range inputTag.FindAllString(page, -1) {
		at := map[string]string{}
		for _, a := range attribute.FindAllStringSubmatch(tag, -1) {
			at[a[1]] = html.UnescapeString(a[2])
		}
		if at["name"] != "" && at["type"] != "checkbox" {
			form.Set(at["name"], at["value"])
		}
	}
	for _, tag := range selectTag.FindAllStringSubmatch(page, -1) {
		if chosen := selectedTag.FindStringSubmatch(tag[0]); chosen != nil {
			form.Set(tag[1], html.UnescapeString(chosen[1]))
		}
	}
	if text := textTag.FindStringSubmatch(page); text != nil {
		form.Set("text", strings.ReplaceAll(html.UnescapeString(text[1]), "\n", "\r\n"))
	}
	return form
}

// files are the files of the workspace's documents, by path.
func (s *testSite) files(t testing.TB) files {
	t.Helper()
	all := files{}
	check(t, filepath.WalkDir(filepath.Join(s.root, ".wrangler"), func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".md") {
			return err
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(s.root, name)
		all[filepath.ToSlash(rel)] = string(data)
		return err
	}))
	return all
}

// unchanged fails the test unless the documents are as before.
func (s *testSite) unchanged(t testing.TB, before files, why string) {
	t.Helper()
	now := s.files(t)
	if len(now) != len(before) {
		t.Errorf("%s: there are %d documents, not %d", why, len(now), len(before))
	}
	for name, text := range before {
		if now[name] != text {
			t.Errorf("%s: %s was changed:\n%s", why, name, now[name])
		}
	}
}

const firstIssue = ".wrangler/issues/ISS-000001-x.md"

func TestFormsChangeFieldsAndText(t *testing.T) {
	s := editable(t, sample())
	before := s.files(t)
	form := formOf(t, s.page(t, "/d/ISS-000001/edit"))
	if w := s.post(t, "/save", form); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/d/ISS-000001" {
		t.Fatalf("%d to %q\n%s", w.Code, w.Header().Get("Location"), w.Body)
	}
	s.unchanged(t, before, "a form that is sent as it is")

	for name, value := range map[string]string{"title": "Write <the> parser", "status": "in_progress", "priority": "low", "labels": "api, later", "assignee": "bob", "project": "core", "parent": "ISS-000005", "dependsOn": "ISS-000005"} {
		form.Set(name, value)
	}
	form.Set("text", form.Get("text")+"More.\r\n")
	if w := s.post(t, "/save", form); w.Code != http.StatusSeeOther {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	text := s.files(t)[firstIssue]
	for _, want := range []string{"Write <the> parser", "status: in_progress", "priority: low", "later", "assignee: bob", "project: core", "dependsOn:\n  - ISS-000005\n", "parentTaskId: ISS-000005", "- [ ] second\nMore.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the file does not have %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "\r") {
		t.Error("the file has the line ends of the form")
	}
	page := s.page(t, "/d/ISS-000001")
	if !strings.Contains(page, "Write &lt;the&gt; parser") || !strings.Contains(page, "bob") {
		t.Error("the page does not show the change")
	}
}

func TestFormsMakeDocuments(t *testing.T) {
	s := editable(t, sample())
	form := formOf(t, s.page(t, "/new"))
	if w := s.post(t, "/new", form); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `aria-invalid="true"`) {
		t.Errorf("without a title: %d\n%s", w.Code, w.Body)
	}
	form.Set("title", "Old")
	form.Set("text", "Kept\r\nas typed")
	form.Set("labels", "a,b")
	s.post(t, "/new", form)
	w := s.post(t, "/new", form)
	if w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "Kept\nas typed") {
		t.Errorf("a second of its title: %d\n%s", w.Code, w.Body)
	}
	form.Set("duplicate", "yes")
	w = s.post(t, "/new", form)
	if w.Code != http.StatusSeeOther || leadsTo(w) != "/d/ISS-000007" {
		t.Fatalf("%d to %q\n%s", w.Code, w.Header().Get("Location"), w.Body)
	}
	if page := s.page(t, "/d/ISS-000007"); !strings.Contains(page, "as typed") {
		t.Error("the new document does not have its text")
	}
}

func TestBoxesAreTicked(t *testing.T) {
	f := sample()
	name, text := issue(6, "Boxes", "```\n- [ ] code\n```\n<input type=\"checkbox\" disabled aria-label=\"box 2\">\n\n> - [ ] quoted\n\n1. [x] one\n   - [ ] nested\n", "status: open")
	f[name] = text
	s := editable(t, f)
	button := regexp.MustCompile(`<button class="box" form="tick" name="(\w+)" value="(\d+)"[^>]*></button>\s*(\w+)`)
	hidden := func(page string) url.Values {
		_, page, _ = strings.Cut(page, `<form id="tick"`)
		page, _, _ = strings.Cut(page, "</form>")
		return formOf(t, `<form class="edit"`+page)
	}
	page := s.page(t, "/d/ISS-000006")
	found := button.FindAllStringSubmatch(page, -1)
	if len(found) == 0 {
		t.Fatalf("no box can be ticked:\n%s", page)
	}
	stale := hidden(page)
	for _, b := range found {
		page = s.page(t, "/d/ISS-000006")
		form := hidden(page)
		form.Set(b[1], b[2])
		was, now := "[ ] "+b[3], "[x] "+b[3]
		if b[1] == "uncheck" {
			was, now = now, was
		}
		want := strings.Replace(bodyOf(s.files(t)[name]), was, now, 1)
		if w := s.post(t, "/tick", form); w.Code != http.StatusSeeOther {
			t.Fatalf("%s: %d\n%s", b[3], w.Code, w.Body)
		}
		if got := bodyOf(s.files(t)[name]); got != want {
			t.Errorf("%s:\n%s", b[0], got)
		}
	}
	before := s.files(t)
	stale.Set("check", "1")
	if w := s.post(t, "/tick", stale); w.Code != http.StatusConflict {
		t.Errorf("of an older version: %d", w.Code)
	}
	s.unchanged(t, before, "a tick of an older version")
}

func TestCardsAreMoved(t *testing.T) {
	s := editable(t, sample())
	cards := func(page string) (forms []url.Values) {
		for _, part := range strings.Split(page, `<details class="menu move">`)[1:] {
			part, _, _ = strings.Cut(part, "</form>")
			forms = append(forms, formOf(t, `<form class="edit"`+part))
		}
		return forms
	}
	for _, page := range []string{"/board", "/board?board=mine", "/board?where=priority+%3D+high"} {
		for _, status := range []string{"in_progress", "open"} {
			form := cards(s.page(t, page))[0]
			form.Set("status", status)
			if w := s.post(t, "/save", form); w.Code != http.StatusSeeOther || leadsTo(w) != page {
				t.Errorf("%d to %q\n%s", w.Code, w.Header().Get("Location"), w.Body)
			}
		}
	}
	stale := cards(s.page(t, "/board?board=mine"))[0]
	s.write(t, 3, "Changed", "", "status: open", "assignee: ann")
	before := s.files(t)
	stale.Set("status", "closed")
	if w := s.post(t, "/save", stale); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "In the file now") {
		t.Errorf("a card of an older version: %d", w.Code)
	}
	s.unchanged(t, before, "a card of an older version")
}

func bodyOf(text string) string {
	parts := strings.SplitN(text, "---\n", 3)
	return parts[2]
}

func TestConflictsWipeNothing(t *testing.T) {
	s := editable(t, sample())
	mine, theirs := formOf(t, s.page(t, "/d/ISS-000001/edit")), formOf(t, s.page(t, "/d/ISS-000001/edit"))
	theirs.Set("text", "Theirs alone.\r\n")
	theirs.Set("assignee", "zoe")
	s.post(t, "/save", theirs)
	before := s.files(t)

	mine.Set("status", "in_progress")
	w := s.post(t, "/save", mine)
	if w.Code != http.StatusConflict {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	s.unchanged(t, before, "a form of an older version")
	again := formOf(t, w.Body.String())
	if again.Get("text") != "Theirs alone.\r\n" || again.Get("assignee") != "zoe" || again.Get("status") != "in_progress" || again.Get("ifVersion") == mine.Get("ifVersion") {
		t.Errorf("what only others have changed is not theirs: %v", again)
	}

	mine.Set("text", "Mine.\r\n")
	w = s.post(t, "/save", mine)
	page := html.UnescapeString(w.Body.String())
	if w.Code != http.StatusConflict || !strings.Contains(page, "-Theirs alone.") || !strings.Contains(page, "+Mine.") {
		t.Errorf("both texts are not shown: %d\n%s", w.Code, page)
	}
	again = formOf(t, w.Body.String())
	if again.Get("text") != "Mine.\r\n" {
		t.Errorf("what was typed is lost: %q", again.Get("text"))
	}
	if w := s.post(t, "/save", again); w.Code != http.StatusSeeOther {
		t.Fatalf("mine on top: %d\n%s", w.Code, w.Body)
	}
	if text := s.files(t)[firstIssue]; !strings.HasSuffix(text, "Mine.\n") || !strings.Contains(text, "assignee: zoe") || !strings.Contains(text, "in_progress") {
		t.Errorf("the file:\n%s", text)
	}

	check(t, os.Remove(filepath.Join(s.root, firstIssue)))
	s.write(t, 9, "Other", "")
	w = s.post(t, "/save", again)
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "Mine.") {
		t.Errorf("a document that is gone: %d\n%s", w.Code, w.Body)
	}
}

func TestWrongInputIsSaidAndKept(t *testing.T) {
	s := editable(t, sample())
	before := s.files(t)
	for name, value := range map[string]string{"status": "nonsense", "priority": "nonsense", "type": "nonsense", "title": "   ", "dependsOn": "ISS-000001"} {
		form := formOf(t, s.page(t, "/d/ISS-000001/edit"))
		form.Set(name, value)
		form.Set("text", "Kept <b>text</b>")
		w := s.post(t, "/save", form)
		if w.Code < 400 || w.Code >= 500 || !strings.Contains(w.Body.String(), `role="alert"`) {
			t.Errorf("%s: %d\n%s", name, w.Code, w.Body)
		}
		kept := formOf(t, w.Body.String())
		if kept.Get("text") != "Kept <b>text</b>" || kept.Get(name) != value || kept.Get("ifVersion") != form.Get("ifVersion") {
			t.Errorf("%s: the form has %v", name, kept)
		}
	}
	s.unchanged(t, before, "wrong input")
}

func TestNothingIsWrittenWithoutLeave(t *testing.T) {
	s := editable(t, sample())
	form := formOf(t, s.page(t, "/d/ISS-000001/edit"))
	form.Set("title", "Changed")
	form.Set("check", "2")
	s.pages.Edit = false
	before := s.files(t)
	for target := range forms {
		if w := s.post(t, target, form); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "--http-edit") {
			t.Errorf("%s: %d\n%s", target, w.Code, w.Body)
		}
	}
	for _, target := range []string{"/new", "/d/ISS-000001/edit", "/edit?path=" + firstIssue} {
		if w := s.get(t, target); w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), `method="post"`) {
			t.Errorf("%s: %d", target, w.Code)
		}
	}
	for _, target := range []string{"/", "/board", "/d/ISS-000001", "/list"} {
		if page := s.page(t, target); strings.Contains(page, `method="post"`) || strings.Contains(page, `value="`+string(s.pages.secret)) {
			t.Errorf("%s has a form that writes", target)
		}
	}
	s.unchanged(t, before, "pages that can only be read")
}

// Deleting needs a scope of its own, as over MCP.
func TestATokenThatMayWriteMayNotDelete(t *testing.T) {
	s := editable(t, sample())
	before, pages := s.files(t), s.Handler
	form := formOf(t, s.page(t, "/d/ISS-000001/edit"))
	for may, scopes := range map[bool][]auth.Scope{false: {auth.Read, auth.Write}, true: {auth.Read, auth.Write, auth.Delete}} {
		s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			pages.ServeHTTP(w, r.WithContext(auth.With(r.Context(), &auth.Principal{Scopes: scopes})))
		})
		if shown := strings.Contains(s.page(t, "/d/ISS-000001"), `action="/delete"`); shown != may {
			t.Errorf("with %v the page offers to delete: %v", scopes, shown)
		}
		if !may {
			if w := s.post(t, "/delete", form); w.Code != http.StatusForbidden {
				t.Errorf("%d\n%s", w.Code, w.Body)
			}
		}
	}
	s.unchanged(t, before, "a token without the scope")
}

func TestOnlyFormsOfThisServerWrite(t *testing.T) {
	s := editable(t, sample())
	other := editable(t, sample())
	before := s.files(t)
	form := formOf(t, s.page(t, "/d/ISS-000001/edit"))
	form.Set("title", "Changed")
	form.Set("check", "2")
	with := func(change func(url.Values)) url.Values {
		changed := url.Values{}
		for name, values := range form {
			changed[name] = append([]string{}, values...)
		}
		change(changed)
		return changed
	}
	for target := range forms {
		for _, c := range []struct {
			why     string
			form    url.Values
			headers []string
			want    int
		}{
			{"no token", with(func(f url.Values) { f.Del("token") }), nil, 403},
			{"an empty token", with(func(f url.Values) { f.Set("token", "") }), nil, 403},
			{"a wrong token", with(func(f url.Values) { f.Set("token", strings.ToLower(f.Get("token"))) }), nil, 403},
			{"the token of another process", with(func(f url.Values) { f.Set("token", string(other.pages.secret)) }), nil, 403},
			{"two tokens", with(func(f url.Values) { f.Add("token", "x") }), nil, 400},
			{"a field twice", with(func(f url.Values) { f.Add("doc", "ISS-000002") }), nil, 400},
			{"a foreign origin", form, []string{"Origin", "http://evil.example"}, 403},
			{"no origin", form, []string{"Origin", "null"}, 403},
			{"a page of another site", form, []string{"Sec-Fetch-Site", "cross-site"}, 403},
			{"a text", form, []string{"Content-Type", "text/plain"}, 415},
			{"a form in parts", form, []string{"Content-Type", "multipart/form-data; boundary=x"}, 415},
			{"no type", form, []string{"Content-Type", ""}, 415},
			{"text that is not UTF-8", with(func(f url.Values) { f.Set("title", "a\xff") }), nil, 400},
			{"a NUL character", with(func(f url.Values) { f.Set("text", "a\x00") }), nil, 400},
			{"too much", with(func(f url.Values) { f.Set("text", strings.Repeat("x", maxForm)) }), nil, 413},
		} {
			w := s.post(t, target, c.form, c.headers...)
			if w.Code != c.want {
				t.Errorf("%s, %s: %d, want %d", target, c.why, w.Code, c.want)
			}
			if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") || !strings.Contains(policy, "form-action 'self'") {
				t.Errorf("%s, %s: the policy is %q", target, c.why, policy)
			}
		}
		if w := s.get(t, target+"?"+form.Encode()); target != "/new" && w.Code != http.StatusNotFound {
			t.Errorf("GET %s: %d", target, w.Code)
		}
		if w := s.post(t, target+"?"+form.Encode(), url.Values{}); w.Code < 400 || w.Code >= 500 {
			t.Errorf("%s with the form in its address: %d", target, w.Code)
		}
	}
	for _, name := range []string{"../../etc/passwd", "/etc/passwd", ".wrangler/views.yaml", "..\\x", ".wrangler/issues/../../x.md", "ISS-000001\r\nX-Injected: 1", "", "no such"} {
		for _, target := range []string{"/save", "/tick"} {
			w := s.post(t, target, with(func(f url.Values) { f.Set("doc", name) }))
			if w.Code < 400 || w.Code >= 500 || w.Header().Get("X-Injected") != "" {
				t.Errorf("%s of %q: %d", target, name, w.Code)
			}
		}
	}
	for _, version := range []string{"", "x", "0000000000"} {
		for _, target := range []string{"/save", "/tick"} {
			if w := s.post(t, target, with(func(f url.Values) { f.Set("ifVersion", version) })); w.Code < 400 || w.Code >= 500 {
				t.Errorf("%s of version %q: %d", target, version, w.Code)
			}
		}
	}
	s.unchanged(t, before, "foreign forms")
}

// A form is closed to other pages because it is one of forms: nothing else takes a write.
func TestEveryWriteIsOneOfTheForms(t *testing.T) {
	s := editable(t, sample())
	before := s.files(t)
	for path := range forms {
		if w := s.post(t, path, url.Values{"doc": {"ISS-000001"}, "title": {"Changed"}, "check": {"1"}}); w.Code != http.StatusForbidden {
			t.Errorf("%s without the secret: %d", path, w.Code)
		}
	}
	mux := http.NewServeMux()
	s.pages.Register(mux)
	for _, pattern := range routes(t) {
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			_, found := mux.Handler(httptest.NewRequest(method, pattern, http.NoBody))
			if _, isForm := forms[pattern]; found != "" && !(isForm && method == http.MethodPost) {
				t.Errorf("%s %s is answered by %s, which is none of the forms", method, pattern, found)
			}
		}
	}
	s.unchanged(t, before, "forms without the secret")
}

// routes are the paths that the package's files name.
func routes(t *testing.T) (paths []string) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	check(t, err)
	for _, name := range names {
		source, err := os.ReadFile(name)
		check(t, err)
		for _, found := range namedPath.FindAllStringSubmatch(string(source), -1) {
			paths = append(paths, strings.NewReplacer("{id}", "ISS-000001", "{$}", "").Replace(found[1]))
		}
	}
	if len(paths) < len(forms) {
		t.Errorf("found only %q", paths)
	}
	return paths
}

var namedPath = regexp.MustCompile(`"(?:[A-Z]+ )?(/[a-z./{}$]*)"`)

func TestHostileInputIsInert(t *testing.T) {
	s := editable(t, sample())
	for i, p := range payloads {
		p = strings.ReplaceAll(p, "\x00", "")
		form := formOf(t, s.page(t, "/d/ISS-000002/edit"))
		for _, name := range append([]string{"text"}, fieldNames...) {
			form.Set(name, p)
		}
		for _, target := range []string{"/save", "/new"} {
			w := s.post(t, target, form)
			if w.Code >= 500 || w.Code < 400 {
				t.Errorf("%s: %d", target, w.Code)
			}
			for _, what := range harmful(t, w.Body.String()) {
				t.Errorf("%s of %q answers with %s", target, p, what)
			}
		}
		form = formOf(t, s.page(t, "/d/ISS-000002/edit"))
		for _, name := range []string{"title", "labels", "assignee", "project", "text"} {
			form.Set(name, p)
		}
		form.Set("back", []string{"//evil.example", "https://evil.example/", "/\\evil.example", "/\r\nX: y", "javascript:0"}[i%5])
		w := s.post(t, "/save", form)
		if to := leadsTo(w); w.Code != http.StatusSeeOther || to != "/d/ISS-000002" {
			t.Errorf("%q: %d to %q\n%s", p, w.Code, to, w.Body)
		}
		form.Set("assignee", p+"2")
		for _, page := range []string{s.page(t, "/d/ISS-000002"), s.page(t, "/d/ISS-000002/edit"), s.page(t, "/board"), s.post(t, "/save", form).Body.String()} {
			for _, what := range harmful(t, page) {
				t.Errorf("a page with %q has %s", p, what)
			}
		}
	}
}
