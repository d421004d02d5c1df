package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
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

// firstViews is the file of views of a new workspace, but for the statuses that dropping a card on a
// board sets.
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
      - {name: Ready, where: "is:ready", set: {status: %q}}
      - {name: Doing, where: "is:active", set: {status: %q}}
      - {name: Done, where: "is:done", limit: 20, set: {status: %q}}
`

// planSetup finds what a workspace lacks of what is asked for.
func (p *program) planSetup(ctx context.Context, ws *store.Workspace, request initRequest) (*setupPlan, error) {
	plan := newSetupPlan(ws)
	p.notePlace(plan)
	own := ws.Layout
	if !request.noMap {
		mapped, err := plan.mapTrackers(ctx)
		if err != nil {
			return nil, err
		}
		if mapped != nil {
			own = mapped
		}
	}
	for _, docType := range store.Types {
		if home := foldersOf(ws, own, docType)[0]; !ws.HasDir(home) {
			plan.Folders = append(plan.Folders, home)
		}
	}
	if _, err := plan.edit(views.File, func(old []byte) ([]byte, error) {
		if old != nil {
			return old, nil
		}
		return fmt.Appendf(nil, firstViews, own.First(layout.Open), own.First(layout.Active), own.First(layout.Done)), nil
	}); err != nil {
		return nil, err
	}
	for _, c := range request.clients {
		if err := p.planClient(plan, c); err != nil {
			return nil, err
		}
	}
	if home := foldersOf(ws, own, store.TypeIssue)[0]; gitrepo.Ignores(ctx, ws.Root, path.Join(home, "ISS-000001.md")) {
		plan.note("git ignores %s, so that the documents are in this checkout only; .gitignore, or another file that "+
			"git check-ignore -v names, says so", home)
	}
	if request.git {
		if err := plan.addDriver(ctx, own); err != nil {
			return nil, err
		}
	}
	return plan, nil
}

// notePlace says when the workspace is probably not the one that was meant: the home folder,
// or one around the repository that the person is in.
func (p *program) notePlace(plan *setupPlan) {
	if home, err := os.UserHomeDir(); err == nil {
		if home, err = cachedir.RealPath(home); err == nil && home == plan.Workspace {
			plan.note("this is your home folder; each project in it that has no .wrangler of its own would belong to " +
				"this workspace")
		}
	}
	if p.workspace != "" || p.getenv(store.RootVariable) != "" {
		return
	}
	wd, err := p.getwd()
	if err == nil {
		wd, err = cachedir.RealPath(wd)
	}
	if top, ok := gitrepo.Top(wd); err == nil && ok && top != plan.Workspace && cachedir.Inside(plan.Workspace, top) {
		plan.note("the repository %s lies in this workspace; for one of its own use issues-index init --workspace %[1]s",
			shellWord(top))
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
func (s *setupPlan) mapTrackers(ctx context.Context) (mapped *layout.Layout, err error) {
	for _, t := range foreign.Find(s.ws) {
		about := fmt.Sprintf("%s has %s of %s", t.Folder, words.Count(t.Files, "document"), t.Title)
		switch {
		case slices.ContainsFunc(s.ws.Collections, func(c store.Collection) bool {
			return c.Dir == t.Folder || strings.HasPrefix(c.Dir, t.Folder+"/")
		}):
			continue
		case t.Layout == "":
			s.Notes = append(s.Notes, t.Notes...)
			continue
		case mapped != nil:
			s.note("%s, which are left out: a workspace can have one layout; %s", about, layoutAdvice)
			continue
		}
		reason, err := whyNotMapped(ctx, s.ws)
		if err == nil && reason == "" {
			mapped, err = s.addLayout(t)
			reason = "the keys cannot be added to " + layout.File
		}
		if err != nil {
			return nil, err
		}
		if mapped == nil {
			s.note("%s, which are left out, since %s; %s", about, reason, layoutAdvice)
			continue
		}
		s.note("%s; they become issues of this workspace, and stay as they are; --no-map leaves them out", about)
		s.Notes = append(s.Notes, t.Notes...)
	}
	return mapped, nil
}

// layoutAdvice says how a person maps a folder.
const layoutAdvice = "docs/layouts.md has the keys for other layouts"

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
func (s *setupPlan) addLayout(t foreign.Tracker) (mapped *layout.Layout, err error) {
	_, err = s.edit(layout.File, func(old []byte) ([]byte, error) {
		text := withNewline(string(old), "\n") +
			fmt.Sprintf("# The issues of this workspace are those of %s in %s.\n%s", t.Title, t.Folder, t.Layout)
		var invalid error
		if mapped, invalid = layout.Parse([]byte(text)); invalid != nil {
			mapped = nil
			return old, nil //nolint:nilerr // the file has the keys, or is no block of them
		}
		return []byte(text), nil
	})
	return mapped, err
}

// withNewline ends the last line of a text.
func withNewline(text, newline string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += newline
	}
	return text
}

// addDriver plans the merge driver: the attributes of the documents, and the settings of this
// clone.
func (s *setupPlan) addDriver(ctx context.Context, own *layout.Layout) (err error) {
	s.settings, err = gitrepo.MissingSettings(ctx, s.Workspace, gitrepo.DriverSettings())
	if said := (*gitrepo.Error)(nil); errors.As(err, &said) {
		return failed("the merge driver needs a git repository: "+said.Error(),
			"git init makes one here; without --git everything else is set up")
	}
	if err != nil {
		return err
	}
	for _, one := range s.settings {
		s.Git[one.Key] = one.Value
	}
	_, err = s.edit(".gitattributes", func(old []byte) ([]byte, error) {
		text, newline := string(old), "\n"
		if strings.Contains(text, "\r\n") {
			newline = "\r\n"
		}
		for _, docType := range store.Types {
			for _, dir := range foldersOf(s.ws, own, docType) {
				line := gitrepo.DriverAttribute(dir)
				if !slices.Contains(strings.Split(strings.ReplaceAll(text, "\r", ""), "\n"), line) {
					text = withNewline(text, newline) + line + newline
				}
			}
		}
		return []byte(text), nil
	})
	return err
}

// planClient plans the entry of a client.
func (p *program) planClient(plan *setupPlan, c clientfile.MCPClient) error {
	file, err := p.clientFile(plan.ws, c)
	if err != nil {
		return err
	}
	var entry clientfile.ServerEntry
	changed, err := plan.edit(file, func(old []byte) (edited []byte, err error) {
		edited, entry, err = c.Add(old)
		return edited, err
	})
	switch {
	case err != nil:
	case changed && c.Hint != "":
		plan.Next = append(plan.Next, c.Hint)
	case !entry.Usual(): // a value may be long, or secret: the file shows it
		others := ""
		if len(entry.Others) > 0 {
			others = fmt.Sprintf("; it sets %s, too: look there before you start the client, unless they are yours",
				strings.Join(entry.Others, ", "))
		}
		plan.note("%s has the entry %s already, which is left as it is; it runs: %s%s",
			c.Title, entry.Name, entry.Command, others)
	}
	return err
}

// clientFile is the file of a client: the first one that is there, else the first. Codex has
// its servers in the user's own file.
func (p *program) clientFile(ws *store.Workspace, c clientfile.MCPClient) (string, error) {
	for _, file := range c.Files {
		if _, err := ws.FS().Lstat(file); err == nil {
			return file, nil
		}
	}
	if len(c.Files) > 0 {
		return c.Files[0], nil
	}
	dir := p.getenv("CODEX_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", failed("Codex keeps its configuration in your home folder, which is not known",
				"set HOME or CODEX_HOME")
		}
		dir = filepath.Join(home, ".codex")
	}
	return filepath.Abs(filepath.Join(dir, "config.toml"))
}
