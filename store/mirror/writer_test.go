package mirror_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"issues-index/store/mirror"
)

var (
	api      = mirror.Branch{Workspace: "api", Name: mirror.Main}
	manifest = []byte(`{"format": 1, "collections": [{"type": "issue", "dir": "a"}], "layout": {}}`)
)

func write(t *testing.T, dir string) *mirror.CopyWriter {
	t.Helper()
	w, err := mirror.NewCopyWriter(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func ok(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsPutIsThere(t *testing.T) {
	dir := t.TempDir()
	w := write(t, dir)
	ok(t, w.Put(api, mirror.ManifestPath, manifest), w.Put(api, "a/b/x.md", []byte("one")), w.Put(api, "a/b/x.md", []byte("two")), w.Put(api, "a/y.md", nil))
	if data, err := os.ReadFile(filepath.Join(dir, "api/a/b/x.md")); err != nil || string(data) != "two" {
		t.Errorf("%q, %v", data, err)
	}
	ok(t, w.Delete(api, "a/b/x.md"), w.Delete(api, "a/b/x.md"), w.Delete(api, "never/was.md"))
	if _, err := os.Stat(filepath.Join(dir, "api/a/b/x.md")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a deleted file is there")
	}
	if _, err := os.Stat(filepath.Join(dir, "api/a/b")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a folder without files is there")
	}
	ok(t, w.Put(api, "a/b/x.md", []byte("three")), w.Remove(api))
	if branches, err := w.Branches(); err != nil || len(branches) != 0 {
		t.Errorf("%v, %v", branches, err)
	}
}

func TestALineOfWhichNothingIsLeftIsNone(t *testing.T) {
	w := write(t, t.TempDir())
	other := mirror.Branch{Workspace: "api", Name: "mac-7k2q"}
	for _, l := range []mirror.Branch{api, other} {
		ok(t, w.Put(l, mirror.ManifestPath, manifest), w.Put(l, "a/x.md", nil), w.Put(l, "a/b/c/y.md", nil))
	}
	ok(t, w.Delete(other, "a/b/c/y.md"), w.Delete(other, "a/x.md"))
	if branches, err := w.Branches(); err != nil || len(branches) != 2 {
		t.Errorf("with its manifest alone: %v, %v", branches, err)
	}
	ok(t, w.Delete(other, mirror.ManifestPath))
	if branches, err := w.Branches(); err != nil || len(branches) != 1 || branches[0] != api {
		t.Errorf("without: %v, %v", branches, err)
	}
	ok(t, w.Put(other, "a/x.md", nil))
	if branches, err := w.Branches(); err != nil || len(branches) != 2 {
		t.Errorf("when it is back: %v, %v", branches, err)
	}
}

func TestTheMarkerFollowsTheManifests(t *testing.T) {
	dir := t.TempDir()
	w := write(t, dir)
	marker := func() string {
		data, err := os.ReadFile(filepath.Join(dir, mirror.Marker))
		ok(t, err, mirror.CheckMarker(data))
		return string(data)
	}
	empty := marker()
	ok(t, w.Put(api, "a/x.md", []byte("x")), w.Mark())
	if marker() != empty {
		t.Error("a document changed it")
	}
	ok(t, w.Put(api, mirror.ManifestPath, manifest)) // and the writer is killed before it marks
	write(t, dir)
	if marker() == empty {
		t.Error("the next writer does not mark what the killed one has left")
	}
	w = write(t, dir)
	if held, known := w.Holds(api, "a/x.md"); !held || !known {
		t.Error("the next writer does not know the manifest")
	}
	ok(t, w.Delete(api, mirror.ManifestPath), w.Mark())
	if marker() != empty {
		t.Error("a manifest that is gone has left a mark")
	}
}

func TestFoldersWithOtherFilesBecomeNoMirror(t *testing.T) {
	for _, name := range []string{"README.md", ".wrangler/issues/x.md", ".git/config"} {
		dir := t.TempDir()
		ok(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o750), os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		if err := mirror.Make(dir); err == nil {
			t.Errorf("%s is taken over", name)
		}
	}
	dir := t.TempDir()
	ok(t, os.MkdirAll(filepath.Join(dir, mirror.CacheDir), 0o750)) // of a writer that was killed
	ok(t, mirror.Make(dir), mirror.Make(dir))
}

func TestWhatHasNoPlaceInAMirrorIsRefused(t *testing.T) {
	w := write(t, t.TempDir())
	for _, p := range []string{"", ".", "..", "../x.md", "a/../../x.md", "/x.md", `a\..\x.md`, "a/.git/x.md", "a/x.txt", ".wrangler/mirror.json", "a/\x00.md", "a//x.md"} {
		if unsafe := mirror.UnsafeError(""); !errors.As(w.Put(api, p, nil), &unsafe) || !errors.As(w.Delete(api, p), &unsafe) {
			t.Errorf("%q is put or deleted", p)
		}
	}
	if unsafe := mirror.UnsafeError(""); !errors.As(w.Put(api, mirror.ManifestPath, []byte("{}")), &unsafe) || !errors.As(w.Put(mirror.Branch{Workspace: "..", Name: mirror.Main}, "x.md", nil), &unsafe) {
		t.Error("no manifest, or no line, is put")
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	outside := t.TempDir()
	ok(t, os.WriteFile(filepath.Join(outside, "x.md"), []byte("theirs"), 0o600))
	for name, to := range map[string]string{"api": outside, "api/a": outside, "api/a/x.md": filepath.Join(outside, "x.md"), "api/other": "../web"} {
		dir := t.TempDir()
		link := filepath.Join(dir, name)
		w := write(t, dir)
		ok(t, w.Put(mirror.Branch{Workspace: "web", Name: mirror.Main}, "x.md", []byte("web")), os.MkdirAll(filepath.Dir(link), 0o750), os.Symlink(to, link))
		ok(t, w.Delete(api, "a/x.md"), w.Delete(api, "other/x.md"))
		ok(t, w.Files(api, func(mirror.MirroredFile) {}))
		ok(t, w.Put(api, "a/x.md", []byte("ours")), w.Put(api, "other/x.md", []byte("ours")))
		for path, want := range map[string]string{filepath.Join(outside, "x.md"): "theirs", filepath.Join(dir, "web/x.md"): "web", filepath.Join(dir, "api/a/x.md"): "ours"} {
			if data, err := os.ReadFile(path); err != nil || string(data) != want {
				t.Errorf("a link at %s: %s has %q, %v", name, path, data, err)
			}
		}
	}
}

// A mirror has what was put last, also where files took the places of folders.
func TestMirrorsHaveWhatWasPutLast(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		ok(t, err)
		w := write(t, dir)
		defer w.Close()
		want := map[string]string{}
		paths := []string{"a/x.md", "a/x.md/y.md", "b.md", "b.md/c.md/d.md"}
		for range rapid.IntRange(1, 20).Draw(r, "steps") {
			p := rapid.SampledFrom(paths).Draw(r, "path")
			switch rapid.IntRange(0, 4).Draw(r, "step") {
			case 0:
				ok(t, w.Delete(api, p))
				delete(want, p)
			case 1:
				_ = w.Close()
				w = write(t, dir)
			default:
				text := rapid.String().Draw(r, "text")
				ok(t, w.Put(api, p, []byte(text)))
				maps.DeleteFunc(want, func(other, _ string) bool { return inWay(other, p) || inWay(p, other) })
				want[p] = text
			}
		}
		got := map[string]string{}
		ok(t, w.Files(api, func(f mirror.MirroredFile) {
			data, err := os.ReadFile(filepath.Join(dir, "api", f.Path))
			if err != nil || !f.Readable || f.Size != int64(len(data)) {
				r.Errorf("%+v: %v", f, err)
			}
			got[f.Path] = string(data)
		}))
		if !maps.Equal(got, want) {
			r.Errorf("it has %q, want %q", got, want)
		}
	})
}

// inWay reports whether one path lies where another one would be a folder.
func inWay(file, below string) bool {
	return len(below) > len(file) && below[:len(file)+1] == file+"/"
}
