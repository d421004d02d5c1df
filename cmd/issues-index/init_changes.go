package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/store"
	gitrepo "issues-index/store/git"
	"issues-index/store/userfile"
	"issues-index/tools/clientfile"
)

// A setupPlan is what init would write. It is what a person or a script is shown, and what is
// written then.
type setupPlan struct {
	Workspace string            `json:"workspace"`
	Applied   bool              `json:"applied"` // false when it was only shown
	Folders   []string          `json:"folders"` // to make
	Files     []setupFile       `json:"files"`
	Git       map[string]string `json:"git"`   // settings of the clone
	Notes     []string          `json:"notes"` // sentences without a full stop
	Next      []string          `json:"next"`  // what to do afterwards, likewise

	ws       *store.Workspace
	settings []gitrepo.ConfigVariable // those of Git, in their order
}

// A setupFile is a file that init makes or changes.
type setupFile struct {
	Path string `json:"path"` // relative to the workspace, or absolute for a file of the user's
	New  bool   `json:"new"`
	Diff string `json:"diff"` // unified

	before, after []byte
}

func newSetupPlan(ws *store.Workspace) *setupPlan {
	return &setupPlan{
		Workspace: ws.Root, Folders: []string{}, Files: []setupFile{}, Git: map[string]string{},
		Notes: []string{}, Next: []string{}, ws: ws,
	}
}

func (s *setupPlan) empty() bool { return len(s.Folders)+len(s.Files)+len(s.settings) == 0 }

func (s *setupPlan) note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

// edit plans the change of a file, and reports whether there is one. change gets nil for a file
// that is not there.
func (s *setupPlan) edit(file string, change func(old []byte) ([]byte, error)) (changed bool, err error) {
	before, err := s.read(file)
	if err != nil {
		return false, err
	}
	after, err := change(before)
	if invalid := (*clientfile.ClientFileError)(nil); errors.As(err, &invalid) {
		at := file
		if invalid.Line > 0 {
			at += fmt.Sprintf(":%d", invalid.Line)
		}
		return false, failed(fmt.Sprintf("%s cannot be edited: %s", at, invalid.Reason),
			"correct the file and run init again; nothing was written")
	}
	if err != nil || after == nil || before != nil && bytes.Equal(before, after) {
		return false, err
	}
	old := file
	if before == nil {
		old = "/dev/null"
	}
	diff := udiff.Unified(old, file, string(before), string(after))
	s.Files = append(s.Files, setupFile{file, before == nil, diff, before, after})
	return true, nil
}

// read returns a file of the workspace, or the user's file with an absolute path, through
// whatever links lead to that. It returns nil for a file that is not there.
func (s *setupPlan) read(file string) (data []byte, err error) {
	if filepath.IsAbs(file) {
		data, err = readStart(file)
	} else if info, _ := s.ws.FS().Lstat(file); info != nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, failed(file+" is a symbolic link, and init writes only to files of the "+
			"workspace itself", "edit the file that it leads to, or leave this part out")
	} else {
		data, err = s.ws.ReadFile(file)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, store.WrapDiskError("read", file, err)
	}
	return append([]byte{}, data...), nil
}

// readStart reads a file, and no more of it than package clientfile takes and one byte.
func readStart(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	return io.ReadAll(io.LimitReader(f, clientfile.MaxFile+1))
}

// apply writes what a plan says: files and folders under the workspace's lock, then the
// settings of git. A run that was cut off is completed by the next one.
func (s *setupPlan) apply(ctx context.Context) error {
	err := s.ws.Mutate(ctx, func(m *store.Mutation) error {
		for _, dir := range s.Folders {
			if err := s.makeFolder(m, dir); err != nil {
				return err
			}
		}
		for _, f := range s.Files {
			if err := s.write(m, f); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && len(s.settings) > 0 {
		err = gitrepo.SetSettings(ctx, s.Workspace, s.settings)
	}
	s.Applied = err == nil
	return err
}

// makeFolder makes a folder of the workspace, unless somebody has made it since.
func (s *setupPlan) makeFolder(m *store.Mutation, dir string) error {
	if s.ws.HasDir(dir) {
		return nil
	}
	return m.MakeDir(dir)
}

// write writes a file, unless it was changed since it was shown.
func (s *setupPlan) write(m *store.Mutation, f setupFile) error {
	now, err := s.read(f.Path)
	if err != nil {
		return err
	}
	if (now == nil) != f.New || !bytes.Equal(now, f.before) {
		return failed(f.Path+" was changed by another program since it was shown",
			"run init again; it writes what is still missing")
	}
	if filepath.IsAbs(f.Path) {
		return userfile.Replace(f.Path, f.after)
	}
	if err := s.makeFolder(m, path.Dir(f.Path)); err != nil {
		return err
	}
	return m.WriteFile(f.Path, f.after)
}

// text shows a plan: folders, a diff of each file, settings, and what to know.
func (s *setupPlan) text(screen terminal.Screen) string {
	var out strings.Builder
	title := func(text string) { fmt.Fprintf(&out, "\n%s\n", screen.Paint(terminal.Bold, text)) }
	fmt.Fprintf(&out, "%s %s\n", screen.Paint(terminal.Bold, "Workspace"), terminal.OneLine(s.Workspace))
	for _, note := range s.Notes {
		fmt.Fprintf(&out, "note: %s.\n", terminal.OneLine(note))
	}
	if len(s.Folders) > 0 {
		title("Folders to make")
	}
	for _, dir := range s.Folders {
		fmt.Fprintf(&out, "  %s/\n", terminal.OneLine(dir))
	}
	for _, f := range s.Files {
		title(map[bool]string{true: "File to make", false: "File to change"}[f.New])
		for line := range strings.SplitSeq(strings.TrimSuffix(terminal.Harmless(f.Diff), "\n"), "\n") {
			colour := terminal.Plain
			switch {
			case strings.HasPrefix(line, "+"):
				colour = terminal.Green
			case strings.HasPrefix(line, "-"):
				colour = terminal.Red
			}
			out.WriteString(screen.Paint(colour, strings.TrimSuffix(line, "\r")) + "\n")
		}
	}
	if len(s.settings) > 0 {
		title("Settings of this clone, in its git config")
	}
	for _, one := range s.settings {
		fmt.Fprintf(&out, "  %s = %s\n", one.Key, one.Value)
	}
	if !s.empty() {
		out.WriteString("\n")
	}
	return out.String()
}

// outcome says what was done with a plan that has been shown.
func (s *setupPlan) outcome() string {
	switch {
	case s.empty():
		return "Nothing to do: nothing is missing.\n"
	case !s.Applied:
		return ""
	}
	text := "Written.\n"
	for _, next := range append(s.Next, "issues-index new 'A title' creates a document, and issues-index list shows all") {
		text += "next: " + next + ".\n"
	}
	return text
}
