package webexport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"issues-index/store/cachedir"
)

// A site has pages by their addresses. Others are not found.
type site map[string]string

func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, ok := s[r.URL.RequestURI()]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		page = "<p>Not found.</p>"
	}
	_, _ = w.Write([]byte(page))
}

// filesOf are the files below a folder and what is in them.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		relative, _ := filepath.Rel(dir, name)
		files[filepath.ToSlash(relative)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func write(t *testing.T, dir string, pages http.Handler) Exported {
	t.Helper()
	s, err := Write(t.Context(), dir, pages, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// broken are the links of files that lead to no file.
func broken(files map[string]string) (links []string) {
	for name, text := range files {
		for tokens := html.NewTokenizer(strings.NewReader(text)); path.Ext(name) == ".html" && tokens.Next() != html.ErrorToken; {
			for _, a := range tokens.Token().Attr {
				u, err := url.Parse(a.Val)
				if a.Key != "href" && a.Key != "src" || err == nil && (u.Scheme != "" || u.Path == "") {
					continue
				}
				if err != nil || files[path.Join(path.Dir(name), u.Path)] == "" {
					links = append(links, name+" -> "+a.Val)
				}
			}
		}
	}
	return links
}

func TestEveryLinkLeadsToAFile(t *testing.T) {
	s := site{
		"/":                                  `<!doctype html><link href="/style.css"><a href="/list">all</a><a href="/list?where=labels+%3D+%22a%2Fb%22">a/b</a><a href="/board?board=mine">mine</a>`,
		"/style.css":                         "p {}",
		"/list":                              `<a href="/d/ISS-1">1</a><a rel="next" href="/list?cursor=x%2By&amp;where=">next</a>`,
		"/list?cursor=x%2By&where=":          `<a href="/d/iss-1">1</a><a href="/d?path=docs%2FISS-1.md">1</a>`,
		"/list?where=labels+%3D+%22a%2Fb%22": `<a href="/d/ISS-1#h-why">1</a>`,
		"/board?board=mine":                  `<a href="/d/ISS-1">1</a><a href="https://example.org/d/x">out</a><a href="#here">here</a>`,
		"/d/ISS-1":                           `<a href="/">top</a>`,
		"/d/iss-1":                           `<a href="/d/gone">gone</a>`,
		"/d?path=docs%2FISS-1.md":            `<a href="/d/con">con</a>`,
		"/d/con":                             `<a href="/d/` + strings.Repeat("x", 300) + `">long</a>`,
	}
	dir := t.TempDir()
	summary := write(t, dir, s)
	files := filesOf(t, dir)
	if links := broken(files); len(links) > 0 {
		t.Errorf("these lead nowhere: %q", links)
	}
	for _, name := range []string{"index.html", "style.css", "list.html", "list/all-2.html", "list/labels-a-b.html", "board/mine.html", "d/ISS-1.html", "d/iss-1-2.html", "d/ISS-1-3.html", "d/gone.html", "d/xcon.html"} {
		if files[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
	if summary.Pages != len(files)-1 || len(files) != 12 {
		t.Errorf("%d pages, files %q", summary.Pages, slices.Sorted(maps.Keys(files)))
	}
	if got := files["board/mine.html"]; !strings.Contains(got, `"https://example.org/d/x"`) || !strings.Contains(got, `"#here"`) || !strings.Contains(got, `"../d/ISS-1.html"`) {
		t.Errorf("%s", got)
	}
	if got := files["list/labels-a-b.html"]; !strings.Contains(got, `"../d/ISS-1.html#h-why"`) {
		t.Errorf("%s", got)
	}
	if got := files["index.html"]; !strings.HasPrefix(got, "<!doctype html>") {
		t.Errorf("%s", got)
	}
}

// A text that links to pages without end does not make the export endless.
func TestTextsMakeNoPages(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, `<a href="/list?where=%d">x</a><a href="/d/other-%d">x</a><a href="../../etc/passwd">x</a>`, i, i)
	}
	s := site{
		"/":        `<a href="/list">all</a>`,
		"/list":    `<a href="/d/ISS-1">1</a><a href="/d/ISS-2">2</a>`,
		"/d/ISS-1": `<div class="text">` + text.String() + `<a href="/d/ISS-2#h-x">2</a><a href="/list">all</a></div><a href="/list?where=after">list</a>`,
	}
	dir := t.TempDir()
	write(t, dir, s)
	files := filesOf(t, dir)
	if len(files) != 5 || files["list/after.html"] == "" || len(broken(files)) > 0 {
		t.Errorf("%d files, broken: %q", len(files), broken(files))
	}
	if got := files["d/ISS-1.html"]; !strings.Contains(got, `"ISS-2.html#h-x"`) || strings.Contains(got, "passwd") {
		t.Errorf("%.500s", got)
	}
}

func TestAnotherExportRemovesWhatIsNoMore(t *testing.T) {
	s := site{"/": `<a href="/d/ISS-1">1</a><a href="/d/ISS-2">2</a>`, "/d/ISS-1": "one", "/d/ISS-2": "two"}
	dir := filepath.Join(t.TempDir(), "new", "folder")
	write(t, dir, s)
	own := map[string]string{"CNAME": "example.org\n", "d/notes.html": "<p>My notes.</p>", "d/" + cachedir.TemporaryName(): "half a pa"}
	for name, text := range own {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s["/"] = `<a href="/d/ISS-2">2</a>`
	if got := write(t, dir, s); got.Removed != 1 || got.Pages != 2 {
		t.Errorf("%+v", got)
	}
	files := filesOf(t, dir)
	if len(files) != 4 || files["d/ISS-1.html"] != "" || files["CNAME"] != own["CNAME"] || files["d/notes.html"] != own["d/notes.html"] {
		t.Errorf("%q", files)
	}
}

func TestForeignFilesAreLeftAlone(t *testing.T) {
	s := site{"/": `<a href="/d/ISS-1">1</a>`, "/d/ISS-1": "one"}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, plant := range map[string]func(dir string) error{
		"a folder with a file": func(dir string) error { return os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a"), 0o600) },
		"another index.html": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "index.html"), []byte("<p>home"), 0o600)
		},
		"a linked index.html": func(dir string) error { return os.Symlink(outside, filepath.Join(dir, "index.html")) },
	} {
		dir := t.TempDir()
		if err := plant(dir); err != nil {
			t.Fatal(err)
		}
		_, err := Write(t.Context(), dir, s, nil)
		if unwanted := (*NotEmptyError)(nil); !errors.As(err, &unwanted) {
			t.Errorf("%s: %v", name, err)
		}
		if files := filesOf(t, dir); len(files) != 1 {
			t.Errorf("%s: %q", name, files)
		}
	}
	for name, plant := range map[string]func(dir string) error{
		"a page of somebody else's": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "d", "ISS-1.html"), []byte("theirs"), 0o600)
		},
		"a link in a page's place": func(dir string) error {
			page := filepath.Join(dir, "d", "ISS-1.html")
			return errors.Join(os.Remove(page), os.Symlink(outside, page))
		},
		"a link in a folder's place": func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "d")), os.Symlink(filepath.Dir(outside), filepath.Join(dir, "d")))
		},
	} {
		dir := t.TempDir()
		write(t, dir, s)
		if err := plant(dir); err != nil {
			t.Fatal(err)
		}
		_, err := Write(t.Context(), dir, s, nil)
		if foreign := (*cachedir.ForeignError)(nil); !errors.As(err, &foreign) {
			t.Errorf("%s: %v", name, err)
		}
		if data, err := os.ReadFile(outside); err != nil || string(data) != "theirs" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}

func TestAnExportThatIsBrokenOffIsDoneAgain(t *testing.T) {
	s := site{"/": `<a href="/d/ISS-1">1</a><a href="/d/ISS-2">2</a>`, "/d/ISS-1": "one", "/d/ISS-2": "two"}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Write(ctx, dir, s, func(done, _ int) {
		if done == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if got := write(t, dir, s); got.Pages != 3 {
		t.Errorf("%+v", got)
	}
	fails := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	before := filesOf(t, dir)
	if _, err := Write(t.Context(), dir, fails, nil); err == nil || !strings.Contains(err.Error(), "cannot be made") {
		t.Errorf("a page that cannot be made: %v", err)
	}
	if after := filesOf(t, dir); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Error("it has changed files")
	}
}

// FuzzRelink: whatever a page is, a link that is left in it leads out, to the same page, or to
// a file of the export.
func FuzzRelink(f *testing.F) {
	f.Add(`<a href="/d/ISS-1?x#y">1</a><div class="text"><a href='/list'>x</a></div><svg><a href=/d/2 /></svg>`)
	f.Add(`<!--<a href="/x">--><a href="//evil.example/x"><a href="\\evil"><a HREF="/a%zz"><a href="?x"><a href="">`)
	f.Fuzz(func(t *testing.T, page string) {
		e := &export{names: map[string]string{}, taken: map[string]bool{}, numbers: map[string]int{}}
		got := e.relink("d/x.html", []byte(page))
		known := map[string]bool{}
		for _, name := range e.names {
			known[name] = true
		}
		for tokens := html.NewTokenizer(bytes.NewReader(got)); tokens.Next() != html.ErrorToken; {
			for _, a := range tokens.Token().Attr {
				u, err := url.Parse(a.Val)
				if a.Key != "href" && a.Key != "src" || err == nil && (u.Scheme != "" || u.Host != "") || strings.HasPrefix(a.Val, "#") {
					continue
				}
				if err != nil || !known[path.Join("d", u.Path)] {
					t.Fatalf("%q has the link %q", got, a.Val)
				}
			}
		}
		for address, name := range e.names {
			if !fs.ValidPath(name) || strings.Count(name, "/") > 1 || len(name) > 200 {
				t.Fatalf("%q has the file %q", address, name)
			}
		}
	})
}
