package mirror_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"issues-index/store/layout"
	"issues-index/store/mirror"
)

func TestLines(t *testing.T) {
	for _, text := range []string{"api", "a-1", "api@mac-7k2q"} {
		if l, ok := mirror.ParseBranch(text); !ok || l.String() != text {
			t.Errorf("%s is read as %v, %v", text, l, ok)
		}
	}
	for _, text := range []string{"", ".", "..", "API", "a/b", "api@", "@main", "api@main", "a@b@c", ".wrangler", "a.b", strings.Repeat("a", 65)} {
		if l, ok := mirror.ParseBranch(text); ok {
			t.Errorf("%s is read as %v", text, l)
		}
	}
}

const ownLayout = `{"statuses": [{"name": "todo", "category": "open"}, {"name": "doing", "category": "active"}, {"name": "done", "category": "done"}]}`

func TestManifestsAreReadAsTheyWereWritten(t *testing.T) {
	own, err := layout.Parse([]byte(ownLayout))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []mirror.Manifest{
		{Layout: layout.Default(), Collections: []mirror.ManifestCollection{{Type: "issue", Dir: ".wrangler/issues", Archive: ".wrangler/issues/archived"}}},
		{Layout: own, Collections: []mirror.ManifestCollection{{Type: "issue", Dir: "."}, {Type: "issue", Dir: "done"}, {Type: "idea", Dir: "a b/ü"}}},
	} {
		data, err := m.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		again, err := mirror.ParseManifest(data)
		if err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("%s is read as %+v, %v", data, again, err)
		}
	}
}

func TestUnsafeManifestsAreRefused(t *testing.T) {
	sound := `{"format": 1, "collections": [{"type": "issue", "dir": "a", "archive": "a/b"}], "layout": {}}`
	if _, err := mirror.ParseManifest([]byte(sound)); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		`"format": 1`:          `"format": 2`,
		`"issue"`:              `"session"`,
		`"layout": {}`:         `"layout": {"statuses": 1}`,
		`, "layout": {}`:       ``,
		`{}`:                   `"x: y"`,
		`"a/b"`:                `"../b"`,
		`"dir": "a"`:           `"dir": "/a"`,
		`"dir": "a",`:          `"dir": "a/../../b",`,
		`"a",`:                 `"a\\..\\b",`,
		`"dir": "a", `:         `"dir": ".git", `,
		`"type": "issue", `:    `"type": "issue", "dir": "x/.GIT/hooks", "x": `,
		`[{`:                   `[], "x": [{`,
		`[`:                    `[` + strings.Repeat(`{"type": "issue", "dir": "b"},`, 2),
		sound:                  `[]`,
		`"archive": "a/b"}]`:   `"archive": "` + strings.Repeat("a", 1025) + `"}]`,
		`"layout": {}` + "}":   `"layout": {}, "x": "` + strings.Repeat("a", mirror.MaxManifest) + `"}`,
		`"dir": "a", "archive`: `"dir": "", "archive`,
	} {
		text := strings.Replace(sound, from, to, 1)
		if text == sound {
			t.Fatalf("%s is not there", from)
		}
		if m, err := mirror.ParseManifest([]byte(text)); err == nil {
			t.Errorf("%.200s is read as %+v", text, m)
		}
	}
	_, err := mirror.ParseManifest([]byte(`{"format": 9}`))
	if !errors.Is(err, mirror.ErrFormat) {
		t.Errorf("format 9: %v", err)
	}
}

func TestPathsOfDocuments(t *testing.T) {
	m := mirror.Manifest{Collections: []mirror.ManifestCollection{{Type: "issue", Dir: "docs/a"}, {Type: "idea", Dir: ".ideas"}}}
	for p, want := range map[string]bool{
		"docs/a/x.md": true, "docs/a/b/ü ü.MD": true, ".ideas/x.md": true,
		"docs/x.md": false, "docs/a": false, "docs/a/x.txt": false, "docs/ab/x.md": false, "/docs/a/x.md": false, "docs/a/../x.md": false,
		"docs/a/./x.md": false, "docs/a//x.md": false, `docs/a/..\x.md`: false, "docs/a/\x00.md": false, "docs/a/\xff.md": false,
		"docs/a/.git/x.md": false, "": false, "docs/a/" + strings.Repeat("x", 1024) + ".md": false,
	} {
		if m.Holds(p) != want {
			t.Errorf("%q: %v", p, !want)
		}
	}
	m.Collections[0].Dir = "."
	if !m.Holds("x.md") || m.Holds("../x.md") {
		t.Error("a collection that is the root itself")
	}
}

// FuzzManifest holds that any bytes give a manifest that leads nowhere but into its folder, and
// that is written as it was read, or an error.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"format": 1, "collections": [{"type": "issue", "dir": "a", "archive": "a/b"}], "layout": ` + ownLayout + `}`))
	f.Add([]byte(`{"format": 1, "collections": [{"type": "issue", "dir": "../a"}], "layout": {"idPattern": "A-{n}", "x": 1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := mirror.ParseManifest(data)
		if err != nil {
			return
		}
		for _, c := range m.Collections {
			if !filepath.IsLocal(c.Dir) || c.Archive != "" && !filepath.IsLocal(c.Archive) {
				t.Fatalf("%+v", c)
			}
		}
		written, err := m.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := mirror.ParseManifest(written); err != nil || !reflect.DeepEqual(again, m) {
			t.Fatalf("%s is read as %+v, %v", written, again, err)
		}
	})
}

func TestReadingAMirror(t *testing.T) {
	dir := t.TempDir()
	sound := `{"format": 1, "collections": [{"type": "issue", "dir": "a"}], "layout": {}}`
	for name, text := range map[string]string{"web": sound, "api@mac-1": sound, "api": `{"format": 7}`, "Other": sound, "empty": ""} {
		if err := os.MkdirAll(filepath.Join(dir, name, ".wrangler"), 0o755); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name, mirror.ManifestPath), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	lines, err := mirror.ReadBranches(root)
	if err != nil || len(lines) != 2 || lines[0].String() != "api@mac-1" || lines[1].Workspace != "web" || lines[1].Name != mirror.Main {
		t.Errorf("%+v, %v", lines, err)
	}
}

func TestMarkers(t *testing.T) {
	api, web := mirror.Branch{Workspace: "api", Name: mirror.Main}, mirror.Branch{Workspace: "web", Name: mirror.Main}
	marker := func(manifests map[mirror.Branch]mirror.Manifest) string {
		data, err := mirror.MarkerBytes(manifests)
		if err != nil {
			t.Fatal(err)
		}
		if err := mirror.CheckMarker(data); err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	in := func(dir string) mirror.Manifest {
		return mirror.Manifest{Collections: []mirror.ManifestCollection{{Type: "issue", Dir: dir}}, Layout: layout.Default()}
	}
	one := marker(map[mirror.Branch]mirror.Manifest{api: in("1")})
	if one == marker(nil) || one == marker(map[mirror.Branch]mirror.Manifest{web: in("1")}) || one == marker(map[mirror.Branch]mirror.Manifest{api: in("2")}) ||
		one != marker(map[mirror.Branch]mirror.Manifest{api: in("1")}) {
		t.Error("a marker changes with the manifests, and only with them")
	}
	for _, text := range []string{"", "x", `{"format": 2}`, "{}"} {
		if mirror.CheckMarker(json.RawMessage(text)) == nil {
			t.Errorf("%q is taken for a marker", text)
		}
	}
}
