package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

// TestWindowsReservedNames gives documents titles that are no names on Windows, asks for paths that
// lead to devices, streams and wildcards, and has another system make files of such names.
func TestWindowsReservedNames(t *testing.T) {
	root := t.TempDir()
	plant(t, root, "ISS-000001")
	folder := filepath.Join(root, ".wrangler", "issues")
	for _, title := range []string{
		"con", "AUX.md", "lpt1.txt", "com¹", "CONIN$", "ends in dots..", "a blank ", "a:stream", `<>:"|?*`,
	} {
		p := runIn(t, root, "new", "--", title)
		made, err := filepath.Glob(filepath.Join(folder, strings.Fields(p.out + " none")[0]+"*.md"))
		if p.code != 0 || err != nil || len(made) != 1 {
			t.Errorf("%q: %v, %v\n%s%s", title, made, err, p.out, p.errOut)
		}
	}
	for _, path := range []string{
		"con", "con.md", "CONIN$", "aux", "nul.md", "com1.md", "com¹.md", "lpt1.txt",
		"a<b>.md", "a|b.md", `a"b.md`, "*.md", "????.md",
		"ISS-000001-shared.md:stream", "ISS-000001-shared.md::$DATA", "../issues/ISS-000001-shared.md",
	} {
		for _, args := range [][]string{{"show"}, {"set", "project=P"}, {"delete", "--yes"}} {
			args = append(args, ".wrangler/issues/"+path)
			if p := runIn(t, root, args...); p.code != 1 && p.code != 2 || !strings.Contains(p.errOut, "hint: ") {
				t.Errorf("%v: exit code %d\n%s%s", args, p.code, p.out, p.errOut)
			}
		}
	}
	if p := runIn(t, root, "check"); p.code != 0 || !strings.Contains(p.out, "in 10 documents") {
		t.Fatalf("%s%s", p.out, p.errOut)
	}

	// The prefix keeps Windows from reading the names.
	raw := `\\?\` + folder + `\`
	foreign := []string{"aux.md", "con.md", "folder.", "folder ", "nul", "a:b.md", "dot.md."}
	for _, name := range foreign {
		full := windows.StringToUTF16Ptr(raw + name)
		if !strings.Contains(name, ".md") {
			if err := windows.CreateDirectory(full, nil); err != nil {
				t.Fatalf("%q: %v", name, err)
			}
			full = windows.StringToUTF16Ptr(raw + name + `\ISS-000099-a.md`)
		}
		h, err := windows.CreateFile(full, windows.GENERIC_WRITE, 0, nil, windows.CREATE_NEW, 0, 0)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		_ = windows.CloseHandle(h)
	}
	checked := runIn(t, root, "check")
	for _, name := range foreign {
		line := ".wrangler/issues/" + name + ": unreadable-path: is a name that Windows cannot open"
		if !strings.Contains(checked.out, line) {
			t.Errorf("check does not say %q:\n%s", line, checked.out)
		}
	}
	if p := runIn(t, root, "list"); p.code != 0 || !strings.Contains(p.out, "ISS-000010") {
		t.Errorf("%s%s", p.out, p.errOut)
	}
}

// TestWindowsCaseOfNames changes the case of names that lead to a document, and nothing else.
func TestWindowsCaseOfNames(t *testing.T) {
	root := t.TempDir()
	plant(t, root, "ISS-000001")
	plant(t, root, "ISS-000002")
	run := func(says string, args ...string) {
		t.Helper()
		if p := runIn(t, root, args...); p.code != 0 || !strings.Contains(p.out, says) {
			t.Errorf("%v: exit code %d, not %q\n%s%s", args, p.code, says, p.out, p.errOut)
		}
	}
	rename := func(from, to string) {
		t.Helper()
		from, to = filepath.Join(root, from), filepath.Join(root, to)
		if err := os.Rename(from, to+"~"); err != nil { // Wine 8 keeps the old case where there is no step between
			t.Fatal(err)
		}
		if err := os.Rename(to+"~", to); err != nil {
			t.Fatal(err)
		}
	}
	run("", "done", "2")
	for _, r := range []struct{ what, from, to string }{
		{"a file", ".wrangler/issues/ISS-000001-shared.md", ".wrangler/issues/Iss-000001-SHARED.md"},
		{"the folder of finished documents", ".wrangler/issues/archived", ".wrangler/issues/Archived"},
		{"the folder of a collection", ".wrangler/issues", ".wrangler/Issues"},
		{"the folder of all", ".wrangler", ".Wrangler"},
	} {
		rename(r.from, r.to)
		run("in 2 documents", "check")
		run("Shared ISS-000001", "show", "iss-000001")
		run("", "set", "1", "project="+filepath.Base(r.to))
		run("", "undo")
		run("", "reopen", "2")
		run("", "done", "2")
		run("ISS-000002", "list", "--all")
	}
}

// TestWindowsLongPaths works in a workspace whose root has more than the 260 characters of the old
// limit, as the program of a command line does.
func TestWindowsLongPaths(t *testing.T) {
	root := filepath.Join(t.TempDir(), strings.Repeat(`a folder with a long name\`, 12))
	if len(root) < 300 {
		t.Fatal("the path is short")
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	plant(t, root, "ISS-000001")
	for _, args := range [][]string{
		{"list"}, {"new", "More", "--body", "- [ ] Do it"}, {"set", "1", "project=P"}, {"tick", "2", "1"}, {"done", "2"},
		{"undo"}, {"claim", "1"}, {"release", "1"}, {"search", "text"}, {"delete", "2", "--yes"}, {"rebuild"}, {"check"},
	} {
		if p := runIn(t, root, args...); p.code != 0 || strings.Contains(p.errOut, "elsewhere") {
			t.Errorf("%v: exit code %d\n%s%s", args, p.code, p.out, p.errOut)
		}
	}
	out, err := (&crashSite{TB: t, root: root}).command(aList).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Shared ISS-000001") {
		t.Errorf("%v\n%s", err, out)
	}
}
