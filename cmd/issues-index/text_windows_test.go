package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWindowsCRLF changes documents as an editor on Windows writes them: lines keep their ends, and
// new lines get those of the document.
func TestWindowsCRLF(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, ".wrangler", "issues", "ISS-000001-crlf.md")
	const text = "---\nid: ISS-000001\ntitle: Lines\nstatus: open\nlabels:\n  - a\n---\n" +
		"# Steps\n\n- [ ] One\n- [ ] Two\n\n# Notes\n\nText.\n"
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := func() string {
		t.Helper()
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	windowsText := strings.ReplaceAll(text, "\n", "\r\n")
	whole := func(what any) {
		t.Helper()
		got := read()
		pure := strings.Count(got, "\n") == strings.Count(got, "\r\n") && !strings.Contains(got, "\r\r")
		if !pure || got == windowsText {
			t.Errorf("%v: %q", what, got)
		}
	}
	for _, args := range [][]string{
		{"set", "1", "project=P", "labels+=b"}, {"append", "1", "A line.\nAnother line."}, {"tick", "1", "2"},
	} {
		write(windowsText)
		if p := runIn(t, root, args...); p.code != 0 {
			t.Errorf("%v: %s%s", args, p.out, p.errOut)
		}
		whole(args)
		if p := runIn(t, root, "undo"); p.code != 0 || read() != windowsText {
			t.Errorf("undo of %v: %q\n%s%s", args, read(), p.out, p.errOut)
		}
	}
	server := startAgent(t, root)
	for _, edit := range []map[string]any{
		{"op": "replace_section", "section": "Notes", "text": "Two\nlines."},
		{"op": "append_section", "section": "Steps", "text": "- [ ] Three"},
		{"op": "replace", "find": "- [ ] One\n- [ ] Two", "text": "- [ ] All\n- [ ] of it"},
		{"op": "prepend", "text": "First.\r\nSecond."},
	} {
		write(windowsText)
		server.must(t, "issues_edit", map[string]any{"id": "ISS-000001", "edits": []any{edit}}, nil)
		whole(edit)
	}
	server.end()

	// A mixed file: the lines that a change does not touch stay as they are.
	mixed := strings.NewReplacer("open\n", "open\r\n", "One\n", "One\r\n", "Text.\n", "Text.\r\n").Replace(text)
	write(mixed)
	if p := runIn(t, root, "tick", "1", "2"); p.code != 0 {
		t.Errorf("%s%s", p.out, p.errOut)
	}
	before, after, _ := strings.Cut(mixed, "---\n# Steps")
	after = strings.Replace("---\n# Steps"+after, "- [ ] Two", "- [x] Two", 1)
	if got := read(); !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) {
		t.Errorf("%q, want %q, a time and %q", got, before, after)
	}
}

// TestWindowsReadOnly has a file that may not be written, and a folder that is marked so, which
// means nothing on Windows.
func TestWindowsReadOnly(t *testing.T) {
	root := t.TempDir()
	plant(t, root, "ISS-000001")
	folder := filepath.Join(root, ".wrangler", "issues")
	file := filepath.Join(folder, "ISS-000001-shared.md")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o444); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"set", "1", "project=P"}, {"append", "1", "More."}, {"done", "1"}} {
		p := runIn(t, root, args...)
		after, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(after, before) || p.code != 1 || !strings.Contains(p.errOut, "must be writable") {
			t.Errorf("%v: exit code %d, %q, %v\n%s%s", args, p.code, after, err, p.out, p.errOut)
		}
	}
	if p := runIn(t, root, "show", "1"); p.code != 0 || !strings.Contains(p.out, "Text of") {
		t.Errorf("%s%s", p.out, p.errOut)
	}
	for path, mode := range map[string]os.FileMode{file: 0o644, folder: 0o555} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"set", "1", "project=P"}, {"new", "More"}, {"done", "1"}, {"undo"}, {"check"}} {
		if p := runIn(t, root, args...); p.code != 0 {
			t.Errorf("%v: %s%s", args, p.out, p.errOut)
		}
	}
}
