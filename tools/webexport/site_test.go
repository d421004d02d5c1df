package webexport_test

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/storetest"
	"issues-index/tools/web"
	"issues-index/tools/webexport"
)

// exported is a folder with the pages of a workspace, which has the files.
func exported(t *testing.T, files map[string]string) string {
	t.Helper()
	root, dir := t.TempDir(), filepath.Join(t.TempDir(), "pages")
	storetest.WriteFiles(t, root, files)
	ws, err := store.Open(store.Options{Root: root})
	check(t, err)
	t.Cleanup(func() { ws.Close() })
	ix, err := index.Open(t.Context(), ws, index.Options{Mode: index.ModeVerify})
	check(t, err)
	t.Cleanup(func() { ix.Close() })
	mux := http.NewServeMux()
	web.New(web.Options{
		Acquire: func(context.Context) (*index.Index, func(), error) { return ix, func() {}, nil },
		Me:      func(context.Context) string { return "" }, Static: true, Log: slog.New(slog.DiscardHandler),
	}).Register(mux)
	_, err = webexport.Write(t.Context(), dir, mux, nil)
	check(t, err)
	return dir
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sample are the files of the sample workspace.
func sample(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	names, err := filepath.Glob(filepath.Join("..", "..", "testdata", "sample", ".wrangler", "*", "*.md"))
	check(t, err)
	for _, name := range names {
		data, err := os.ReadFile(name)
		check(t, err)
		files[path.Join(".wrangler", filepath.Base(filepath.Dir(name)), filepath.Base(name))] = string(data)
	}
	return files
}

func TestExportHasEveryDocument(t *testing.T) {
	files := sample(t)
	files[".wrangler/views.yaml"] = "hot:\n  where: priority = high\nboards:\n  mine:\n    columns:\n      - {name: Mine, where: assignee = ann}\n"
	for _, copied := range []string{"a", "b"} { // one id twice
		files[".wrangler/issues/ISS-009000-"+copied+".md"] = "---\nid: ISS-009000\ntitle: Copy " + copied + "\n---\nSee [[ISS-000041]], ISS-999999 and <a href=\"/list?where=is:open\">all</a>.\n"
	}
	dir := exported(t, files)
	pages, err := filepath.Glob(filepath.Join(dir, "d", "*.html"))
	check(t, err)
	var all strings.Builder
	for _, page := range pages {
		data, err := os.ReadFile(page)
		check(t, err)
		all.Write(data)
	}
	for name := range files {
		if path.Ext(name) == ".md" && !strings.Contains(all.String(), `<p class="id path">`+name+`</p>`) {
			t.Errorf("%s has no page", name)
		}
	}
	for _, page := range []string{"index.html", "list.html", "board.html", "board/mine.html", "list/hot.html", "graph.html", "agents.html", "problems.html"} {
		data, err := os.ReadFile(filepath.Join(dir, page))
		check(t, err)
		for _, unwanted := range []string{"<form", "<script", "figures", `href="/`} {
			if strings.Contains(string(data), unwanted) {
				t.Errorf("%s has %s", page, unwanted)
			}
		}
	}
}
