package repair

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/store"
	"issues-index/store/git"
	"issues-index/store/markdown"
)

// attribute finds out which document each reference means: the one whose file the commit has that
// wrote its line. Where the commit has several files of the id, or none, a person has to say.
func (p *duplicatePlanner) attribute(ctx context.Context) error {
	if p.repo == nil {
		return nil
	}
	if err := p.readAges(ctx); err != nil {
		return err
	}
	names := map[string]map[string]map[string]bool{} // by commit
	for _, f := range p.files {
		var writers []string
		for i := range f.refs {
			r := &f.refs[i]
			if r.target != nil {
				continue
			}
			var err error
			if writers == nil {
				if writers, err = p.writersOf(ctx, f.path); err != nil {
					return err
				}
			}
			if r.line > len(writers) || writers[r.line-1] == "" {
				continue
			}
			commit := writers[r.line-1]
			if names[commit] == nil {
				if names[commit], err = p.namesIn(ctx, commit); err != nil {
					return err
				}
			}
			r.target = onlyOne(r.candidates, names[commit])
		}
	}
	return nil
}

// namesIn returns the names of the files in a commit, as twins have them, by the ids that they
// begin with, if twins have or had these.
func (p *duplicatePlanner) namesIn(ctx context.Context, commit string) (map[string]map[string]bool, error) {
	names := map[string]map[string]bool{}
	tree, err := p.repo.Tree(ctx, commit, p.ws.CollectionDirs())
	for file := range tree {
		id, _ := p.ws.Layout.IDIn(store.Stem(file))
		if fold := store.FoldID(id); p.meaningOf(fold) != nil {
			if names[fold] == nil {
				names[fold] = map[string]bool{}
			}
			names[fold][strings.ToLower(path.Base(file))] = true
		}
	}
	return names, err
}

// onlyOne returns the document whose file is the only one of the candidates' ids in a commit, nil if
// there are several or none. The name of a file that does not begin with the id says nothing of it.
func onlyOne(candidates []*twin, names map[string]map[string]bool) (one *twin) {
	all := map[string]bool{}
	for _, t := range candidates {
		there := names[t.fold()]
		maps.Copy(all, there)
		if t.idEnd == 0 || len(all) > 1 || there[t.base()] && one != nil {
			return nil
		}
		if there[t.base()] {
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

// readAges finds out which of the twins' files are committed, and when their names came into the
// history.
func (p *duplicatePlanner) readAges(ctx context.Context) error {
	tree, err := p.repo.Tree(ctx, p.repo.Head, p.ws.CollectionDirs())
	if err != nil {
		return err
	}
	named := map[string][]*twin{}
	for _, twins := range p.twins {
		for _, t := range twins {
			if t.committed = tree[t.doc.Path] != ""; t.committed {
				named[t.base()] = append(named[t.base()], t)
			}
		}
	}
	return p.repo.Log(ctx, p.ws.CollectionDirs(), func(c git.Commit) error { // the newest first
		for _, change := range c.Changes {
			for _, t := range named[strings.ToLower(path.Base(change.Path))] {
				if change.Old == "" { // in a merge, too: a conflict may have been ended so
					t.since = c.Time
				}
			}
		}
		return nil
	})
}

// readRepository finds the references in the other Markdown files that git tracks below the root
// of the workspace. Those of the program's own folder, links, and files that are too large or no
// text are left out.
func (p *duplicatePlanner) readRepository(ctx context.Context) error {
	files, err := p.repo.MarkdownFiles(ctx)
	if err != nil {
		return err
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
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
	return string(data), err == nil && utf8.Valid(data) && !markdown.DeeplyNested(string(data))
}
