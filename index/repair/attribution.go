package repair

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"issues-index/store"
	"issues-index/store/git"
)

// An openReference is a reference that may mean several documents, and the commit that wrote its
// line.
type openReference struct {
	ref    *foundReference
	commit string
}

// attribute finds out which document each reference means: the one whose file the commit has that
// wrote its line. Where the commit has several of them, or none, a person has to say, and so where it
// has a file of the id that is none of theirs: one of them may have had that name.
func (p *duplicatePlanner) attribute(ctx context.Context) error {
	if p.repo == nil {
		return nil
	}
	paths, unknown, err := p.readAges(ctx)
	if err != nil {
		return err
	}
	var open []openReference
	asked := map[git.CommittedFile]bool{}
	for _, file := range slices.Sorted(maps.Keys(p.files)) {
		var writers []string
		f := p.files[file]
		for i := range f.refs {
			r := &f.refs[i]
			if r.target != nil || r.others {
				continue
			}
			if writers == nil {
				if writers, err = p.writersOf(ctx, file); err != nil {
					return err
				}
			}
			if r.line > len(writers) || writers[r.line-1] == "" {
				continue
			}
			o := openReference{r, writers[r.line-1]}
			open = append(open, o)
			for _, t := range r.candidates {
				for _, at := range slices.Concat(paths[t.base()], unknown[t.fold()]) {
					asked[git.CommittedFile{Commit: o.commit, Path: at}] = true
				}
			}
		}
	}
	there, err := p.repo.Existing(ctx, slices.Collect(maps.Keys(asked)))
	if err != nil {
		return err
	}
	for _, o := range open {
		has := func(at string) bool { return there[git.CommittedFile{Commit: o.commit, Path: at}] }
		another := func(t *twin) bool { return slices.ContainsFunc(unknown[t.fold()], has) }
		if !slices.ContainsFunc(o.ref.candidates, another) {
			o.ref.target = onlyOne(o.ref.candidates, func(t *twin) bool {
				return slices.ContainsFunc(paths[t.base()], has)
			})
		}
	}
	return nil
}

// onlyOne returns the one of some documents that a commit has, nil if it has none or several, or
// if that is not known: the name of a file that does not begin with the id says nothing of it.
func onlyOne(candidates []*twin, has func(*twin) bool) (one *twin) {
	for _, t := range candidates {
		if t.idEnd == 0 || has(t) && one != nil {
			return nil
		}
		if has(t) {
			one = t
		}
	}
	return one
}

// writersOf returns the commit that wrote each line of a file, "" for what is not committed. It
// has no lines where git does not know the file.
func (p *duplicatePlanner) writersOf(ctx context.Context, file string) ([]string, error) {
	writers, err := p.repo.Blame(ctx, file)
	if unknown := (*git.Error)(nil); errors.As(err, &unknown) {
		return []string{}, nil
	}
	return writers, err
}

// readAges finds out when the names of the twins' files came into the history, and which of the
// files are committed. paths are those that files of these names have had, and unknown are those of
// other files, by the id that their names begin with, if twins have or had it.
func (p *duplicatePlanner) readAges(ctx context.Context) (paths, unknown map[string][]string, err error) {
	var dirs, specs []string
	for _, c := range p.ws.Collections {
		dirs, specs = append(dirs, c.Dir), append(specs, git.Exactly(c.Dir))
	}
	tree, err := p.repo.Tree(ctx, p.repo.Head, dirs)
	if err != nil {
		return nil, nil, err
	}
	paths, unknown = map[string][]string{}, map[string][]string{}
	seen := map[string]bool{}
	named := map[string][]*twin{}
	for _, twins := range []map[string][]*twin{p.scanner.twins, p.scanner.former} {
		for _, t := range slices.Concat(slices.Collect(maps.Values(twins))...) {
			t.committed = tree[t.doc.Path] != ""
			named[t.base()] = append(named[t.base()], t)
			paths[t.base()] = append(paths[t.base()], t.doc.Path)
		}
	}
	err = p.repo.Log(ctx, specs, func(c git.Commit) error { // the newest first
		for _, change := range c.Changes {
			name := strings.ToLower(path.Base(change.Path))
			if !seen[change.Path] {
				seen[change.Path] = true
				id, _ := p.ws.Layout.IDIn(stem(change.Path))
				fold := store.FoldID(id)
				_, isDocument := p.ws.CollectionOf(change.Path)
				switch {
				case named[name] != nil:
					paths[name] = append(paths[name], change.Path)
				case isDocument && p.scanner.meaningOf(fold) != nil:
					unknown[fold] = append(unknown[fold], change.Path)
				}
			}
			for _, t := range named[name] {
				if t.committed && change.Old == "" { // in a merge, too: a conflict may have been ended so
					t.since = c.Time
				}
			}
		}
		return nil
	})
	return paths, unknown, err
}

// readRepository finds the references in the other Markdown files that git tracks below the root
// of the workspace. Those of the program's own folder, links, and files that are too large or no
// text are left out.
func (p *duplicatePlanner) readRepository(ctx context.Context) error {
	files, err := p.repo.MarkdownFiles(ctx)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, ok := p.ws.CollectionOf(file); ok || strings.HasPrefix(file, ".wrangler/") {
			continue
		}
		if data, ok := readText(p.ws, file); ok {
			p.scan(&scannedFile{path: file, data: data})
		}
	}
	return nil
}

// openRepository opens the repository of the workspace. Without one, or without git, references
// that may mean several documents are listed.
func (p *duplicatePlanner) openRepository(ctx context.Context) (err error) {
	p.repo, err = git.OpenRepository(ctx, p.ws.Root)
	none := (*git.UnreadableError)(nil)
	if !errors.As(err, &none) {
		return err
	}
	p.repo = nil
	p.repair.Notes = append(p.repair.Notes, "git does not tell who wrote what, since "+none.Reason)
	if p.options.Repository {
		note := "no other file is searched for references: git does not say which it tracks"
		p.repair.Notes = append(p.repair.Notes, note)
	}
	return nil
}

// readText reads a file that is no document, and is not a link or in a linked folder.
func readText(ws *store.Workspace, file string) (text string, ok bool) {
	if real, err := ws.Resolve(file); err != nil || real != file {
		return "", false
	}
	data, _, err := ws.Read(file)
	return string(data), err == nil && isPlainText(data)
}
