package mergedriver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/store/layout"
)

// files writes three versions of a document.
func files(t *testing.T, texts ...string) Invocation {
	t.Helper()
	dir := t.TempDir()
	names := []string{filepath.Join(dir, "base"), filepath.Join(dir, "ours"), filepath.Join(dir, "theirs")}
	for i, text := range texts {
		if err := os.WriteFile(names[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Invocation{Base: names[0], Ours: names[1], Theirs: names[2]}
}

// Where there is an error our file is as it was, and nothing lies beside it.
func TestNothingIsWrittenOnAnError(t *testing.T) {
	for name, spoil := range map[string]func(i *Invocation) error{
		"theirs is missing":   func(i *Invocation) error { return os.Remove(i.Theirs) },
		"the base is missing": func(i *Invocation) error { return os.Remove(i.Base) },
		"theirs is a folder": func(i *Invocation) (err error) {
			i.Theirs = filepath.Dir(i.Theirs)
			return nil
		},
		"it is binary and too large for a document": func(i *Invocation) error {
			return os.WriteFile(i.Theirs, make([]byte, 17<<20), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			const ours = "---\ntitle: ours\n---\n"
			i := files(t, "---\ntitle: base\n---\n", ours, "---\ntitle: theirs\n---\n")
			dir := filepath.Dir(i.Ours)
			if err := spoil(&i); err != nil {
				t.Fatal(err)
			}
			before, _ := filepath.Glob(filepath.Join(dir, "*"))
			if merged, err := Merge(t.Context(), i); err == nil {
				t.Errorf("it is merged: %+v", merged)
			}
			after, _ := filepath.Glob(filepath.Join(dir, "*"))
			if text, err := os.ReadFile(i.Ours); err != nil || string(text) != ours || len(after) != len(before) {
				t.Errorf("%v, %q, files %q", err, text, after)
			}
		})
	}
}

func TestLayoutOf(t *testing.T) {
	root := t.TempDir()
	write := func(file, text string) {
		t.Helper()
		path := filepath.Join(root, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(layout.File, "priorities: [outer]\n")
	write("inner/"+layout.File, "priorities: [inner]\n")
	write("wrong/"+layout.File, "priorities: {}\n")
	for path, want := range map[string]string{
		"":                          "low medium high critical",
		".wrangler/issues/ISS-1.md": "outer",
		"docs/not/there/ISS-1.md":   "outer",
		"inner/.wrangler/issues/archived/ISS-1.md": "inner",
		"wrong/.wrangler/issues/ISS-1.md":          "",
	} {
		t.Run(path, func(t *testing.T) {
			t.Chdir(root)
			got, err := layoutOf(path)
			if (err != nil) != (want == "") || err == nil && strings.Join(got.Priorities, " ") != want {
				t.Errorf("%v, %v, want %s", got, err, want)
			}
		})
	}
}

// FuzzMerge holds that any three texts merge, and that where they conflict both sides are
// there.
func FuzzMerge(f *testing.F) {
	f.Add("---\nid: a\n---\n", "---\nid: b\n---\n", "---\nid: c\n---\n", 7)
	f.Add("", "a", "b\r\n", -1)
	f.Add("\xff\x00", "---\n", "<<<<<<< x\n", 90)
	f.Fuzz(func(t *testing.T, base, ours, theirs string, size int) {
		i := files(t, base, ours, theirs)
		i.MarkerSize = size % 100
		merged, err := Merge(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(i.Ours)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if (merged.Conflicts > 0) != (len(merged.Conflicted) > 0) {
			t.Errorf("%+v", merged)
		}
		if merged.Conflicts == 0 && (base == theirs && text != ours || base == ours && text != theirs) {
			t.Errorf("one side alone has changed %q to %q and %q: %q", base, ours, theirs, text)
		}
	})
}
