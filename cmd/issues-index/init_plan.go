package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"issues-index/index/views"
	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/store/foreign"
	gitrepo "issues-index/store/git"
	"issues-index/store/layout"
	"issues-index/store/words"
	"issues-index/tools/clientfile"
)

// A setupPlan is what init would write.
type setupPlan struct {
	root     string
	folders  []string // to make
	files    []setupFile
	settings []gitrepo.ConfigVariable // of the clone
	notes    []string                 // sentences without a full stop
	next     []string                 // what to do afterwards, likewise
}

// A setupFile is a file that init makes or changes.
type setupFile struct {
	path          string // relative to the workspace, or absolute for a file of the user's
	before, after []byte
	exists        bool
}

func (s *setupPlan) empty() bool {
	return len(s.folders) == 0 && len(s.files) == 0 && len(s.settings) == 0
}

// firstViews is the file of views of a new workspace. It has no words that a workspace may
// configure.
const firstViews = `# Views give criteria a name: issues-index list @unassigned, or for agents
# issues_list {view: 'unassigned'}. The views ready, blocked, stale, recent and mine are
# there without this file.
unassigned:
  where: is:open and assignee = empty
  sort: priority desc, created
  columns: [id, title, priority, labels, created]
forgotten:
  where: is:active and updated < -14d
  sort: updated
boards:
  main:
    columns:
      - {name: Ready, where: "is:ready"}
      - {name: Doing, where: "is:active"}
      - {name: Done, where: "is:done", limit: 20}
`

// planSetup finds what a workspace lacks of what is asked for.
func (p *program) planSetup(ctx context.Context, ws *store.Workspace, request initRequest) (*setupPlan, error) {
	plan := &setupPlan{root: ws.Root}
	p.notePlace(plan)
	own := ws.Layout
	if !request.noMap {
		mapped, err := plan.mapTrackers(ctx, ws)
		if err != nil {
			return nil, err
		}
		if mapped != nil {
			own = mapped
		}
	}
	for _, docType := range store.Types {
		if home := foldersOf(ws, own, docType)[0]; !ws.HasDir(home) {
			plan.folders = append(plan.folders, home)
		}
	}
	if err := plan.addFile(ws, views.File, func(old []byte) ([]byte, error) {
		if old != nil {
			return old, nil
		}
		return []byte(firstViews), nil
	}); err != nil {
		return nil, err
	}
	for _, c := range request.clients {
		if err := p.planClient(ws, plan, c); err != nil {
			return nil, err
		}
	}
	if home := foldersOf(ws, own, store.TypeIssue)[0]; gitrepo.Ignores(ctx, ws.Root, path.Join(home, "ISS-000001.md")) {
		plan.notes = append(plan.notes, fmt.Sprintf("git ignores %s, so that the documents are in this checkout only; .gitignore, or another file that git check-ignore -v names, says so", home))
	}
	if request.git {
		if err := plan.addDriver(ctx, ws, own); err != nil {
			return nil, err
		}
	}
	return plan, nil
}

// notePlace says when the workspace is probably not the one that was meant: the home folder,
// or one around the repository that the person is in.
func (p *program) notePlace(plan *setupPlan) {
	if home, err := os.UserHomeDir(); err == nil {
		if home, err = cachedir.RealPath(home); err == nil && home == plan.root {
			plan.notes = append(plan.notes, "this is your home folder; each project in it that has no .wrangler of its own would belong to this workspace")
		}
	}
	if p.workspace != "" || p.getenv(store.RootVariable) != "" {
		return
	}
	wd, err := os.Getwd()
	if err == nil {
		wd, err = cachedir.RealPath(wd)
	}
	if top, ok := gitrepo.Top(wd); err == nil && ok && top != plan.root && cachedir.Inside(plan.root, top) {
		plan.notes = append(plan.notes, fmt.Sprintf("the repository %s lies in this workspace; for one of its own use issues-index init --workspace %[1]s", shellWord(top)))
	}
}

// foldersOf are the folders of a type under a layout that is, or will be, the workspace's.
func foldersOf(ws *store.Workspace, l *layout.Layout, docType string) (dirs []string) {
	if l != ws.Layout && l.Mapped(docType) {
		return l.Folders[docType]
	}
	for _, c := range ws.Collections {
		if c.Type == docType {
			dirs = append(dirs, c.Dir)
		}
	}
	return dirs
}

// mapTrackers plans the configuration that serves the folder of another tracker, and returns
// the layout that the workspace has then; nil where there is nothing to map.
func (s *setupPlan) mapTrackers(ctx context.Context, ws *store.Workspace) (mapped *layout.Layout, err error) {
	served := func(folder string) bool {
		return slices.ContainsFunc(ws.Collections, func(c store.Collection) bool {
			return c.Dir == folder || strings.HasPrefix(c.Dir, folder+"/")
		})
	}
	for _, t := range foreign.Find(ws) {
		about := fmt.Sprintf("%s has %s of %s", t.Folder, words.Count(t.Files, "document"), t.Title)
		switch {
		case served(t.Folder):
			continue
		case t.Layout == "":
			s.notes = append(s.notes, t.Notes...)
			continue
		case mapped != nil:
			s.notes = append(s.notes, about+", which are left out: a workspace can have one layout; "+layoutAdvice)
			continue
		}
		reason, err := whyNotMapped(ctx, ws)
		if err != nil {
			return nil, err
		}
		if reason == "" {
			if mapped, err = s.addLayout(ws, t); err != nil {
				return nil, err
			}
			reason = "the keys cannot be added to " + layout.File
		}
		if mapped == nil {
			s.notes = append(s.notes, fmt.Sprintf("%s, which are left out, since %s; %s", about, reason, layoutAdvice))
			continue
		}
		s.notes = append(s.notes, fmt.Sprintf("%s; they become issues of this workspace, and stay as they are; --no-map leaves them out", about))
		s.notes = append(s.notes, t.Notes...)
	}
	return mapped, nil
}

// layoutAdvice says how a person maps a folder.
const layoutAdvice = "docs/workspace.md has the keys for other layouts"

// whyNotMapped says why the folder of another tracker cannot become that of the issues, ""
// when it can: nothing that the workspace has may be hidden by that.
func whyNotMapped(ctx context.Context, ws *store.Workspace) (string, error) {
	if ws.Layout.OwnStatuses || len(ws.Layout.Folders) > 0 {
		return layout.File + " has a layout already", nil
	}
	listing, err := ws.List(ctx)
	if err != nil {
		return "", err
	}
	issues := 0
	for _, f := range listing.Files {
		if f.Collection.Type == store.TypeIssue {
			issues++
		}
	}
	if issues > 0 {
		return fmt.Sprintf("the workspace has %s of its own", words.Count(issues, "issue")), nil
	}
	return "", nil
}

// addLayout plans to add the keys of a layout to the workspace's configuration. It returns nil
// where that would not work.
func (s *setupPlan) addLayout(ws *store.Workspace, t foreign.Tracker) (mapped *layout.Layout, err error) {
	err = s.addFile(ws, layout.File, func(old []byte) ([]byte, error) {
		text := string(old)
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += fmt.Sprintf("# The issues of this workspace are those of %s in %s.\n%s", t.Title, t.Folder, t.Layout)
		var invalid error
		if mapped, invalid = layout.Parse([]byte(text)); invalid != nil {
			mapped = nil
			return old, nil //nolint:nilerr // the file has the keys, or is no block of them
		}
		return []byte(text), nil
	})
	return mapped, err
}

// addDriver plans the merge driver: the attributes of the documents, and the settings of this
// clone.
func (s *setupPlan) addDriver(ctx context.Context, ws *store.Workspace, own *layout.Layout) error {
	missing, err := gitrepo.MissingSettings(ctx, ws.Root, gitrepo.DriverSettings())
	if said := (*gitrepo.Error)(nil); errors.As(err, &said) {
		return &commandError{exitFailed, "the merge driver needs a git repository: " + said.Error(), "git init makes one here; without --git everything else is set up"}
	}
	if err != nil {
		return err
	}
	s.settings = missing
	return s.addFile(ws, ".gitattributes", func(old []byte) ([]byte, error) {
		newline := "\n"
		if bytes.Contains(old, []byte("\r\n")) {
			newline = "\r\n"
		}
		text := string(old)
		for _, docType := range store.Types {
			for _, dir := range foldersOf(ws, own, docType) {
				line := gitrepo.DriverAttribute(dir)
				if slices.ContainsFunc(strings.Split(text, "\n"), func(there string) bool { return strings.TrimSpace(there) == line }) {
					continue
				}
				if text != "" && !strings.HasSuffix(text, "\n") {
					text += newline
				}
				text += line + newline
			}
		}
		return []byte(text), nil
	})
}

// addFile plans a change of a file of the workspace. edit gets nil for one that is not there.
func (s *setupPlan) addFile(ws *store.Workspace, p string, edit func(old []byte) ([]byte, error)) error {
	file := setupFile{path: p}
	info, err := ws.FS().Lstat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return &commandError{exitFailed, p + " is a symbolic link, and init writes only to files of the workspace itself", "edit the file that it leads to, or leave this part out"}
	default:
		if file.before, err = ws.ReadFile(p); err != nil {
			return store.WrapDiskError("read", p, err)
		}
		file.exists = true
		if file.before == nil {
			file.before = []byte{}
		}
	}
	return s.addEdit(file, edit)
}

// addEdit adds a file to the plan if its edit changes it.
func (s *setupPlan) addEdit(file setupFile, edit func(old []byte) ([]byte, error)) (err error) {
	file.after, err = edit(file.before)
	if invalid := (*clientfile.ClientFileError)(nil); errors.As(err, &invalid) {
		at := file.path
		if invalid.Line > 0 {
			at += fmt.Sprintf(":%d", invalid.Line)
		}
		return &commandError{exitFailed, fmt.Sprintf("%s cannot be edited: %s", at, invalid.Reason), "mend the file and run init again; nothing was written"}
	}
	if err == nil && !(file.exists && bytes.Equal(file.before, file.after)) {
		s.files = append(s.files, file)
	}
	return err
}
