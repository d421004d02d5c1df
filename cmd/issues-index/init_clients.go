package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"issues-index/store"
	"issues-index/tools/clientfile"
)

// planClient plans the entry of a client.
func (p *program) planClient(ws *store.Workspace, plan *setupPlan, c clientfile.MCPClient) error {
	var entry clientfile.ServerEntry
	add := func(old []byte) (edited []byte, err error) {
		edited, entry, err = c.Add(old)
		return edited, err
	}
	before := len(plan.files)
	var err error
	if len(c.Files) > 0 {
		err = plan.addFile(ws, existing(ws, c.Files), add)
	} else {
		err = p.planUserFile(plan, add)
	}
	switch {
	case err != nil:
	case len(plan.files) > before && c.Hint != "":
		plan.next = append(plan.next, c.Hint)
	case !entry.Usual():
		plan.notes = append(plan.notes, fmt.Sprintf("%s has the entry %s already, which is left as it is; %s", c.Title, entry.Name, saysMore(entry)))
	}
	return err
}

// saysMore says what an entry runs, and what else it tells the client. A value may be long, or
// secret: the file shows it.
func saysMore(entry clientfile.ServerEntry) string {
	said := "it runs: " + entry.Command
	if len(entry.Others) > 0 {
		said += fmt.Sprintf("; it sets %s, too: look there before you start the client, unless they are yours", strings.Join(entry.Others, ", "))
	}
	return said
}

// existing is the first of some files that is there, else the first.
func existing(ws *store.Workspace, files []string) string {
	for _, file := range files {
		if _, err := ws.FS().Lstat(file); err == nil {
			return file
		}
	}
	return files[0]
}

// planUserFile plans a change of Codex's configuration, which is the user's and not the
// workspace's.
func (p *program) planUserFile(plan *setupPlan, edit func(old []byte) ([]byte, error)) error {
	dir := p.getenv("CODEX_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return &commandError{exitFailed, "Codex keeps its configuration in your home folder, which is not known", "set HOME or CODEX_HOME"}
		}
		dir = filepath.Join(home, ".codex")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	file := setupFile{path: filepath.Join(dir, "config.toml")}
	file.before, err = readUserFile(file.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &commandError{exitFailed, fmt.Sprintf("%s cannot be read: %v", file.path, errors.Unwrap(err)), "mend that, or leave --client codex out"}
	}
	file.exists = err == nil
	return plan.addEdit(file, edit)
}
