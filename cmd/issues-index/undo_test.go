package main

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/index/db"
	"issues-index/store"
	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/issues"
	"issues-index/tools/toolstest"
	"issues-index/tools/web"
)

// A threeFaces is a workspace that a person, ann, changes by commands and on pages, and an agent by
// tools.
type threeFaces struct {
	*testing.T
	root   string
	ix     *index.Index
	pages  http.Handler
	agent  *toolstest.Client
	token  string // of the forms
	random *rand.Rand
}

// agentHolder is the agent's name.
const agentHolder = "robo/one"

func newThreeFaces(t *testing.T) *threeFaces {
	root := t.TempDir()
	for i := range 4 {
		id := fmt.Sprintf("ISS-%06d", i+1)
		toolstest.Write(t, root, ".wrangler/issues/"+id+"-x.md", "---\nid: "+id+"\ntitle: "+id+" # kept\nstatus: open\n---\n\n- [ ] One\n- [x] Two\n")
	}
	ws, err := store.Open(store.Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	ix, err := index.Open(t.Context(), ws, index.Options{Path: db.MemoryPath, Mode: index.ModeVerify})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ix.Close() })
	mux := http.NewServeMux()
	web.New(web.Options{
		Acquire: func(context.Context) (*index.Index, func(), error) { return ix, func() {}, nil },
		Me:      func(context.Context) string { return "ann" }, Edit: true, Log: slog.New(slog.DiscardHandler),
	}).Register(mux)
	f := &threeFaces{
		T: t, root: root, ix: ix, pages: mux, random: rand.New(rand.NewPCG(20261128, 39)),
		agent: toolstest.NewClientNamed(t, "robo", tools.Config{Session: "one", Toolsets: []tools.Toolset{issues.Toolset(ix)}}),
	}
	f.token = f.field(f.page("/new", nil), "token")
	return f
}

// page asks for a page, or sends a form, and follows where that leads.
func (f *threeFaces) page(target string, form url.Values) string {
	f.Helper()
	r := httptest.NewRequestWithContext(f.Context(), http.MethodGet, target, http.NoBody)
	if form != nil {
		form.Set("token", f.token)
		r = httptest.NewRequestWithContext(f.Context(), http.MethodPost, target, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	w := httptest.NewRecorder()
	f.pages.ServeHTTP(w, r)
	if to := w.Header().Get("Location"); to != "" {
		return f.page(to, nil)
	}
	return w.Body.String()
}

// field is the value of a hidden field of a page's form, "" for none.
func (f *threeFaces) field(page, name string) string {
	found := regexp.MustCompile(`name="?` + name + `"? value="?([^"\s>]+)`).FindStringSubmatch(page)
	if found == nil {
		return ""
	}
	return found[1]
}

// run runs a command as ann.
func (f *threeFaces) run(args ...string) printed {
	f.Helper()
	return runWith(f.T, func(name string) string { return map[string]string{"ISSUES_INDEX_HOLDER": "ann"}[name] }, f.root, args...)
}

// files are the files of the workspace but those of the cache, by their paths.
func (f *threeFaces) files() map[string]string {
	f.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(f.root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "cache" {
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() {
			data, failed := os.ReadFile(path)
			all[path], err = string(data), failed
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	return all
}

// A faceWrite is what one of the faces has written.
type faceWrite struct {
	face   string
	entry  string // of a page
	before map[string]string
	after  map[string]string
}

// write writes something of a random kind by a random face.
func (f *threeFaces) write(n int) faceWrite {
	f.Helper()
	w := faceWrite{before: f.files()}
	ids := slices.Sorted(maps.Keys(readAll(f.T, f.root)))
	id := func() string { return ids[f.random.IntN(len(ids))] }
	one := func(values ...string) string { return values[f.random.IntN(len(values))] }
	title := fmt.Sprint("New ", n)
	if len(ids) < 2 {
		ids = append(ids, "ISS-999999", "ISS-999999")
	}
	switch w.face = one("command", "page", "tool"); w.face {
	case "command":
		commands := [][]string{
			{"new", title, "--body", "- [ ] A"}, {"set", id(), "priority=" + one("low", "high")}, {"set", id(), id(), "labels+=" + one("a", "b", "c")},
			{"tick", id(), "1"}, {"untick", id(), "1"}, {"append", id(), title}, {"done", id(), "--note", title},
			{"reopen", id()}, {"delete", id(), "--yes"}, {"claim", id()}, {"release", id()}, {"set", id(), "type=" + one("issue", "idea")},
		}
		f.run(commands[f.random.IntN(len(commands))]...)
	case "page":
		form, target := url.Values{}, "/save"
		_, doc, err := f.ix.Load(f.Context(), id())
		if err != nil {
			break
		}
		form.Set("doc", doc.ID)
		form.Set("ifVersion", doc.Version)
		switch one("field", "field", "text", "tick", "new") {
		case "field":
			field := one("priority=low", "priority=high", "status=closed", "status=open", "status=in_progress", "labels=x", "assignee=ben")
			name, value, _ := strings.Cut(field, "=")
			form.Set(name, value)
		case "text":
			form.Set("text", doc.Body+"\n"+title+"\n")
		case "tick":
			target = "/tick"
			form.Set(one("check", "uncheck"), "1")
		case "new":
			form, target = url.Values{"title": {title}, "type": {"issue"}, "text": {"- [ ] B"}}, "/new"
		}
		w.entry = f.field(f.page(target, form), "entry")
	case "tool":
		calls := []struct {
			tool string
			args map[string]any
		}{
			{"issues_create", map[string]any{"title": title, "description": "- [ ] C"}},
			{"issues_update", map[string]any{"id": id(), "priority": one("low", "high")}},
			{"issues_update", map[string]any{"id": id(), "status": one("open", "closed", "in_progress")}},
			{"issues_update_batch", map[string]any{"updates": []any{
				map[string]any{"id": ids[0], "labels": []string{one("l", "m")}}, map[string]any{"id": ids[1], "status": one("closed", "open")},
			}}},
			{"issues_edit", map[string]any{"id": id(), "op": "append", "text": title}},
			{"issues_edit", map[string]any{"id": id(), "op": one("check", "uncheck"), "boxes": []int{1}}},
			{"issues_mark_complete", map[string]any{"id": id(), "note": title}},
			{"issues_delete", map[string]any{"id": id(), "confirm": true}},
			{"issues_claim", map[string]any{"operation": one("claim", "release"), "id": id()}},
			{"issues_claim", map[string]any{"operation": "next"}},
			{"issues_get", map[string]any{"id": id()}},
		}
		call := calls[f.random.IntN(len(calls))]
		f.agent.Call(f.T, call.tool, call.args)
	}
	w.after = f.files()
	return w
}

// takeBack takes the last write of a face back, on the page that has made it, or by the command.
func (f *threeFaces) takeBack(w faceWrite) (said string, ok bool) {
	f.Helper()
	if w.entry != "" && f.random.IntN(2) == 0 {
		page := f.page("/undo", url.Values{"entry": {w.entry}})
		return page, !strings.Contains(page, "Not taken back")
	}
	args := []string{"undo"}
	if w.face == "tool" {
		args = append(args, "--of", agentHolder)
	}
	p := f.run(args...)
	return p.out + p.errOut, p.code == 0
}

// entries is how many changes can be taken back.
func (f *threeFaces) entries() int {
	f.Helper()
	return strings.Count(f.run("undo", "--list", "--jq", ".changes[].at").out, "\n")
}

// Whatever is written by commands, pages and tools is taken back, the last one first, to the bytes and
// the places of before.
func TestWritesOfAllFacesAreTakenBack(t *testing.T) {
	t.Parallel()
	writes := 60
	if storetest.Long() {
		writes = 1000
	}
	f := newThreeFaces(t)
	var made []faceWrite
	faces := map[string]int{}
	for n := 0; len(made) < writes; n++ {
		w := f.write(n)
		if maps.Equal(w.before, w.after) {
			if known := f.entries(); known != min(len(made), mostListed) {
				t.Fatalf("%s changed nothing, and there are %d entries after %d writes", w.face, known, len(made))
			}
			continue
		}
		faces[w.face]++
		if made = append(made, w); w.face == "page" && w.entry == "" {
			t.Fatal("a page offers no undo")
		}
	}
	t.Log(faces)
	for n, w := range slices.Backward(made) {
		said, ok := f.takeBack(w)
		if !ok || !maps.Equal(f.files(), w.before) {
			t.Fatalf("write %d, by a %s: %s\nbefore\n%q\nafter\n%q\ntaken back\n%q", n, w.face, said, w.before, w.after, f.files())
		}
	}
	if known := f.entries(); known != 0 {
		t.Errorf("%d entries are left", known)
	}
}

// While others write the same documents, each takes back one's own alone. What cannot be taken back
// changes nothing, and says which document is another one now, and in what.
func TestWritesThatOthersHaveChangedAreNotTakenBack(t *testing.T) {
	t.Parallel()
	writes := 60
	if storetest.Long() {
		writes = 1000
	}
	f := newThreeFaces(t)
	made := map[bool][]faceWrite{} // by whether the agent has made it
	taken, refused := 0, 0
	for n := range writes {
		if f.random.IntN(6) == 0 { // an editor
			paths := slices.Sorted(maps.Keys(f.files()))
			path := paths[f.random.IntN(len(paths))]
			if text, err := os.ReadFile(path); err != nil || os.WriteFile(path, append(text, "By hand.\n"...), 0o644) != nil {
				t.Fatal("cannot write by hand")
			}
		}
		w := f.write(n)
		agents := w.face == "tool"
		if !maps.Equal(w.before, w.after) {
			made[agents] = append(made[agents], w)
		}
		agents = f.random.IntN(2) == 0
		own := made[agents]
		if len(own) == 0 || f.random.IntN(2) == 0 {
			continue
		}
		last, before := own[len(own)-1], f.files()
		made[agents] = own[:len(own)-1]
		said, ok := f.takeBack(last)
		after := f.files()
		if ok {
			taken++
			for path := range union(last.before, last.after, after) {
				if last.before[path] != last.after[path] && after[path] != last.before[path] {
					t.Fatalf("%s is %q, and was %q before the write that was taken back:\n%s", path, after[path], last.before[path], said)
				}
				if last.before[path] == last.after[path] && after[path] != before[path] {
					t.Fatalf("%s was %q and is %q, which is not of the write that was taken back:\n%s", path, before[path], after[path], said)
				}
			}
			continue
		}
		refused++
		if !maps.Equal(before, after) {
			t.Fatalf("%s\nhas changed %q\nto %q", said, before, after)
		}
		if !regexp.MustCompile(`has changed since: \w|is no longer there|exists already`).MatchString(said) {
			t.Fatalf("it does not say what has changed: %s", said)
		}
		skip := []string{"undo", "--skip"}
		if agents {
			skip = append(skip, "--of", agentHolder)
		}
		if p := f.run(skip...); p.code != 0 {
			t.Fatal(p.errOut)
		}
	}
	if taken == 0 || refused == 0 {
		t.Errorf("%d were taken back, %d refused", taken, refused)
	}
}

// union has the keys of all maps.
func union(all ...map[string]string) map[string]string {
	keys := map[string]string{}
	for _, one := range all {
		maps.Copy(keys, one)
	}
	return keys
}
