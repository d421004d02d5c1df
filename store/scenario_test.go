package store

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"issues-index/store/frontmatter"
)

const (
	openIssue   = "---\nid: ISS-000001\ntitle: One\ntype: issue # kept\nstatus: open\n---\n\nThe body.\n"
	closedIssue = "---\nid: ISS-000001\ntitle: One\nstatus: closed\n---\nThe body.\n"
	bystander   = "---\nid: ISS-000002\ntitle: Two\nstatus: open\n---\nAnother.\n"
)

// A scenario is one mutation of the document titled One, or of none.
type scenario struct {
	name  string
	files map[string]string
	links map[string]string
	run   func(w *Workspace) error
}

var scenarios = []scenario{
	{
		name:  "create, in a folder that is not there",
		files: map[string]string{".wrangler/issues/b.md": bystander},
		run: func(w *Workspace) error {
			_, err := w.Create(context.Background(), NewDocument{Type: TypeIdea, Title: "One", Description: "The body."}, CreateOptions{})
			return err
		},
	},
	{
		name:  "update",
		files: map[string]string{".wrangler/issues/a.md": openIssue, ".wrangler/issues/b.md": bystander},
		run:   setting(Fields{Project: new("P"), Append: "A note."}),
	},
	{
		name:  "edit of the text",
		files: map[string]string{".wrangler/issues/a.md": openIssue, ".wrangler/issues/b.md": bystander},
		run:   setting(Fields{Body: new("\nThe body.\n\n- [x] Done\n")}),
	},
	{
		name:  "edit of the text through a symbolic link",
		files: map[string]string{"docs/a.md": openIssue, ".wrangler/issues/b.md": bystander},
		links: map[string]string{".wrangler/issues/a.md": "../../docs/a.md"},
		run:   setting(Fields{Body: new("Another body.\n")}),
	},
	{
		name:  "close",
		files: map[string]string{".wrangler/issues/a.md": openIssue, ".wrangler/issues/b.md": bystander},
		run:   setting(Fields{Status: new("closed")}),
	},
	{
		name:  "reopen",
		files: map[string]string{".wrangler/issues/archived/a.md": closedIssue, ".wrangler/issues/b.md": bystander},
		run:   setting(Fields{Status: new("open")}),
	},
	{
		name:  "change of type",
		files: map[string]string{".wrangler/issues/a.md": openIssue, ".wrangler/issues/b.md": bystander},
		run:   setting(Fields{Type: new(TypeSpecification)}),
	},
	{
		name:  "rewrite",
		files: map[string]string{".wrangler/issues/a.md": openIssue, ".wrangler/issues/b.md": bystander},
		run:   rewriting("The body.", "Another body."),
	},
	{
		name:  "rewrite that closes",
		files: map[string]string{".wrangler/issues/a.md": openIssue, ".wrangler/issues/b.md": bystander},
		run:   rewriting("status: open", "status: closed"),
	},
	{
		name:  "delete",
		files: map[string]string{".wrangler/issues/a.md": openIssue, ".wrangler/issues/b.md": bystander},
		run: func(w *Workspace) error {
			p, err := pathOfOne(w)
			if err != nil {
				return err
			}
			_, err = w.Delete(context.Background(), p, nil)
			return err
		},
	},
	{
		name:  "update through a symbolic link",
		files: map[string]string{"docs/a.md": openIssue, ".wrangler/issues/b.md": bystander},
		links: map[string]string{".wrangler/issues/a.md": "../../docs/a.md"},
		run:   setting(Fields{Project: new("P")}),
	},
	{
		name:  "close through a symbolic link",
		files: map[string]string{"docs/a.md": openIssue, ".wrangler/issues/b.md": bystander},
		links: map[string]string{".wrangler/issues/a.md": "../../docs/a.md"},
		run:   setting(Fields{Status: new("closed")}),
	},
	{
		name:  "exact change that only moves",
		files: map[string]string{".wrangler/issues/a.md": closedIssue, ".wrangler/issues/b.md": bystander},
		run:   fixing(closedIssue),
	},
	{
		name:  "exact change that moves and edits",
		files: map[string]string{".wrangler/issues/a.md": closedIssue, ".wrangler/issues/b.md": bystander},
		run:   fixing(strings.Replace(closedIssue, "closed", "cancelled", 1)),
	},
	{
		name:  "exact change that moves a symbolic link",
		files: map[string]string{"docs/a.md": closedIssue, ".wrangler/issues/b.md": bystander},
		links: map[string]string{".wrangler/issues/a.md": "../../docs/a.md"},
		run:   fixing(closedIssue),
	},
	{
		name:  "take back an edit",
		files: map[string]string{".wrangler/issues/a.md": openIssue, ".wrangler/issues/b.md": bystander},
		run:   reverting(DocumentChange{OldPath: ".wrangler/issues/a.md", Path: ".wrangler/issues/a.md", Was: []byte(closedIssue), Is: HashOf([]byte(openIssue))}),
	},
	{
		name:  "take back a close",
		files: map[string]string{".wrangler/issues/archived/a.md": closedIssue, ".wrangler/issues/b.md": bystander},
		run:   reverting(DocumentChange{OldPath: ".wrangler/issues/a.md", Path: ".wrangler/issues/archived/a.md", Was: []byte(openIssue), Is: HashOf([]byte(closedIssue))}),
	},
	{
		name:  "take back a move",
		files: map[string]string{".wrangler/issues/archived/a.md": closedIssue, ".wrangler/issues/b.md": bystander},
		run:   reverting(DocumentChange{OldPath: ".wrangler/issues/a.md", Path: ".wrangler/issues/archived/a.md", Was: []byte(closedIssue), Is: HashOf([]byte(closedIssue))}),
	},
	{
		name:  "take back a close through a symbolic link",
		files: map[string]string{"docs/a.md": closedIssue, ".wrangler/issues/b.md": bystander},
		links: map[string]string{".wrangler/issues/archived/a.md": "../../../docs/a.md"},
		run:   reverting(DocumentChange{OldPath: ".wrangler/issues/a.md", Path: ".wrangler/issues/archived/a.md", Was: []byte(openIssue), Is: HashOf([]byte(closedIssue))}),
	},
	{
		name:  "take back a new document",
		files: map[string]string{".wrangler/issues/a.md": openIssue, ".wrangler/issues/b.md": bystander},
		run:   reverting(DocumentChange{Path: ".wrangler/issues/a.md", Is: HashOf([]byte(openIssue))}),
	},
	{
		name:  "take back a deletion",
		files: map[string]string{".wrangler/issues/b.md": bystander},
		run:   reverting(DocumentChange{OldPath: ".wrangler/issues/archived/a.md", Was: []byte(closedIssue), Mode: 0o644}),
	},
}

// reverting takes a change back.
func reverting(c DocumentChange) func(w *Workspace) error {
	return func(w *Workspace) error {
		return w.Mutate(context.Background(), func(m *Mutation) error { return m.Revert([]DocumentChange{c}) })
	}
}

// fixing is an exact change of the document, wherever it is, to archived/.
func fixing(text string) func(w *Workspace) error {
	return func(w *Workspace) error {
		p, err := pathOfOne(w)
		if err != nil {
			return err
		}
		return w.Fix(context.Background(), NewFix(p, ".wrangler/issues/archived/a.md", []byte(closedIssue), []byte(text)))
	}
}

// setting is an update of the document, wherever it is.
func setting(f Fields) func(w *Workspace) error {
	return func(w *Workspace) error {
		p, err := pathOfOne(w)
		if err != nil {
			return err
		}
		_, err = w.Update(context.Background(), p, func(*Document) (Fields, error) { return f, nil })
		return err
	}
}

// rewriting replaces a string in the text of the document, wherever it is.
func rewriting(was, is string) func(w *Workspace) error {
	return func(w *Workspace) error {
		p, err := pathOfOne(w)
		if err != nil {
			return err
		}
		_, err = w.Rewrite(context.Background(), p, func(_ *Document, text []byte) ([]byte, error) {
			return []byte(strings.Replace(string(text), was, is, 1)), nil
		})
		return err
	}
}

func pathOfOne(w *Workspace) (string, error) {
	l, err := w.List(context.Background())
	if err != nil {
		return "", err
	}
	for _, f := range l.Files {
		if doc, _, err := w.Load(f.Path); err == nil && doc.Title == "One" {
			return f.Path, nil
		}
	}
	return "", fs.ErrNotExist
}

// prepare makes the files that the mutation finds. But for the first scenario,
// locks were taken there before.
func (s scenario) prepare(t testing.TB) (root string) {
	t.Helper()
	root = t.TempDir()
	writeFiles(t, root, s.files)
	if s.name != scenarios[0].name {
		writeFiles(t, root, map[string]string{CacheDir + "/" + queueFile: "", CacheDir + "/" + turnFile: ""})
	}
	for link, target := range s.links {
		if err := os.Symlink(filepath.FromSlash(target), filepath.Join(root, filepath.FromSlash(link))); err != nil {
			t.Skip("symbolic links cannot be made here:", err)
		}
	}
	return root
}

// A state is where One is and what it says.
type state struct{ path, text string }

func (s state) String() string { return s.path + ":\n" + s.text }

// observe reads the workspace as a newly started process does. It fails the
// test unless each document is there once and can be read.
func observe(t *testing.T, root string) []state {
	t.Helper()
	w := openWorkspace(t, root, nil)
	l := list(t, w)
	if len(l.Problems) > 0 {
		t.Errorf("problems: %v", l.Problems)
	}
	var found []state
	for _, f := range l.Files {
		doc, _, err := w.Load(f.Path)
		if err != nil {
			t.Errorf("load %s: %v", f.Path, err)
			continue
		}
		if err := frontmatter.Editable(doc.Problems); err != nil {
			t.Errorf("%s: %v", f.Path, err)
		}
		if doc.ID == "ISS-000002" {
			continue
		}
		data, _, err := w.Read(f.Path)
		if err != nil {
			t.Error(err)
		}
		found = append(found, state{f.Path, string(data)})
	}
	return found
}

// outcome is what the mutation leads to when nothing fails, and how many
// operations that takes.
func (s scenario) outcome(t *testing.T) (before, after []state, operations int) {
	t.Helper()
	root := s.prepare(t)
	before = observe(t, root)
	w, d := openFaulty(t, root, never)
	if err := s.run(w); err != nil {
		t.Fatal(err)
	}
	return before, observe(t, root), d.n
}

// survives holds what must be true after any failure: the document before or
// after the change, once, where it was or where it belongs; no temporary file
// after the next start; and the workspace can be written to.
func (s scenario) survives(t *testing.T, root string, before, after []state) {
	t.Helper()
	left := observe(t, root)
	switch {
	case slices.Equal(left, before), slices.Equal(left, after):
	case len(left) == 1 && len(before) == 1 && len(after) == 1 && left[0].path == after[0].path && left[0].text == before[0].text:
	default:
		t.Errorf("left %v\nbefore %v\nafter %v", left, before, after)
	}
	w, _ := openFaulty(t, root, never)
	if _, err := w.RemoveStaleTempFiles(context.Background(), list(t, w)); err != nil {
		t.Error("sweep:", err)
	}
	if stray := temporaries(tree(t, root)); len(stray) > 0 {
		t.Errorf("temporary files after the sweep: %v", stray)
	}
	if slices.Equal(left, after) || len(after) == 1 && len(before) == 0 {
		return
	}
	if err := s.run(w); err != nil {
		t.Error("again:", err)
	}
	if now := observe(t, root); !slices.Equal(now, after) {
		t.Errorf("after another try: %v\nwant %v", now, after)
	}
}
