package git

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/store/storetest"
)

// repository makes a git repository in a new folder.
func repository(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	return dir
}

// Git itself is asked which files a line of .gitattributes is about: those of the folder at
// any depth, whatever the folder is called, and no others.
func TestDriverAttributeNamesTheDocumentsOfAFolder(t *testing.T) {
	dir := repository(t)
	attributes := func(t interface{ Fatal(...any) }, files []string) []string {
		command := exec.Command("git", "-C", dir, "check-attr", "-z", "--stdin", "merge")
		command.Stdin = strings.NewReader(strings.Join(files, "\x00"))
		out, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		var values []string
		for fields := range slices.Chunk(strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), 3) {
			values = append(values, fields[2])
		}
		return values
	}
	check := func(t interface {
		Fatal(...any)
		Errorf(string, ...any)
	}, folder string) {
		line := DriverAttribute(folder)
		if err := os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		wanted := map[string]string{
			folder + "/ISS-1.md":             DriverName,
			folder + "/archived/deep/x y.md": DriverName,
			folder + "/ISS-1.txt":            "unspecified",
			folder + "x/ISS-1.md":            "unspecified",
			"other/" + folder + "/ISS-1.md":  "unspecified",
			"zzz.md":                         "unspecified",
		}
		files := slices.Sorted(maps.Keys(wanted))
		for i, got := range attributes(t, files) {
			if want := wanted[files[i]]; got != want {
				t.Errorf("%s: %s has %s, want %s", line, files[i], got, want)
			}
		}
	}
	for _, folder := range []string{".wrangler/issues", "backlog/tasks", "docs/my issues", `a"b`, "!odd", "#odd", "a*b", "a?[b]", "tab\there", "ü/界"} {
		check(t, folder)
	}
	t.Run("the workspace itself", func(t *testing.T) {
		if got, want := DriverAttribute("."), "*.md merge=issues-index"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("any name", func(t *testing.T) {
		storetest.Checks(t, 25, 100)
		rapid.Check(t, func(t *rapid.T) {
			check(t, rapid.StringMatching(`[a-z!#*?\[\]" ][a-z!#*?\[\]"é -]{0,6}[a-z]`).Draw(t, "folder"))
		})
	})
}

func TestDriverSettings(t *testing.T) {
	dir := repository(t)
	ctx := t.Context()
	missing, err := MissingSettings(ctx, dir, DriverSettings())
	if err != nil || len(missing) != 2 {
		t.Fatalf("missing %v, %v", missing, err)
	}
	if err := SetSettings(ctx, dir, missing); err != nil {
		t.Fatal(err)
	}
	if missing, err = MissingSettings(ctx, dir, DriverSettings()); err != nil || len(missing) != 0 {
		t.Errorf("still missing %v, %v", missing, err)
	}
	out, err := exec.CommandContext(ctx, "git", "-C", dir, "config", "merge.issues-index.driver").Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != driver {
		t.Errorf("git has %q, %v", got, err)
	}
	t.Run("of several values the last one counts", func(t *testing.T) {
		dir := repository(t)
		if err := SetSettings(ctx, dir, DriverSettings()); err != nil {
			t.Fatal(err)
		}
		if err := exec.CommandContext(ctx, "git", "-C", dir, "config", "--add", "merge.issues-index.driver", "other").Run(); err != nil {
			t.Fatal(err)
		}
		if missing, err := MissingSettings(ctx, dir, DriverSettings()); err != nil || len(missing) != 1 || missing[0].Value != driver {
			t.Errorf("missing %v, %v", missing, err)
		}
	})
	t.Run("a folder without a repository is refused", func(t *testing.T) {
		if _, err := MissingSettings(ctx, t.TempDir(), DriverSettings()); err == nil {
			t.Error("there is no error")
		}
	})
	t.Run("a configuration that lies elsewhere is not written", func(t *testing.T) {
		planted, outside := repository(t), filepath.Join(t.TempDir(), "config")
		if err := os.Rename(filepath.Join(planted, ".git", "config"), outside); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, filepath.Join(planted, ".git", "config")); err != nil {
			t.Skip(err)
		}
		before, _ := os.ReadFile(outside)
		if err := SetSettings(ctx, planted, DriverSettings()); err == nil {
			t.Error("there is no error")
		}
		if after, _ := os.ReadFile(outside); !bytes.Equal(after, before) {
			t.Errorf("it was written: %s", after)
		}
	})
}

func TestIgnores(t *testing.T) {
	dir := repository(t)
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("/private/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"private/a.md": true, "public/a.md": false, "-v": false} {
		if got := Ignores(t.Context(), dir, path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	if Ignores(t.Context(), t.TempDir(), "a.md") {
		t.Error("a folder without a repository ignores something")
	}
}
