package repair

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"issues-index/store"
	"issues-index/store/git"
)

// mostBlamed is how many files git is asked who wrote their lines: some 2 s.
const mostBlamed = 500

// authorship says by git which commits wrote lines, and which documents these commits have.
// Without a repository it knows nothing.
type authorship struct {
	ws      *store.Workspace
	repo    *git.Repository // nil without one
	why     string          // there is none
	objects *git.Objects
	tree    map[string]string    // the objects of the files of HEAD, by path
	ages    map[string]time.Time // when a document's name came into the history; nil where that is too long

	head    nameCounts                 // of the documents of HEAD
	more    map[string]nameCounts      // that commits have, below 0 for those of HEAD alone
	there   map[commitAndFold][]string // see namesIn
	blamed  int                        // files
	of      string                     // the path of the file that writer was asked for last
	writers []string                   // the commits that wrote its lines
}

// A nameCounts has how many files have a name, by the id that it begins with and the name.
type nameCounts map[string]map[string]int

type commitAndFold struct{ commit, fold string }

// readAuthorship reads what is needed of all documents; everywhere says to read the other
// files of the repository, too.
func readAuthorship(ctx context.Context, ws *store.Workspace, everywhere bool) (*authorship, error) {
	a := &authorship{ws: ws, head: nameCounts{}, more: map[string]nameCounts{}, there: map[commitAndFold][]string{}}
	repo, err := git.OpenRepository(ctx, ws.Root)
	if none := (*git.UnreadableError)(nil); errors.As(err, &none) {
		a.why = none.Reason
		return a, nil
	}
	if err != nil {
		return nil, err
	}
	dirs := a.folders(func(dir string) string { return dir })
	if everywhere {
		dirs = []string{"."}
	}
	if a.tree, err = repo.Tree(ctx, repo.Head, dirs); err != nil {
		return nil, err
	}
	for file := range a.tree {
		a.count(a.head, file, 1)
	}
	changes, whole, err := repo.Log(ctx, a.folders(git.Exactly), git.MostChanges)
	if err != nil {
		return nil, err
	}
	if whole {
		a.ages = map[string]time.Time{}
	}
	for _, c := range changes { // the newest first
		for _, change := range c.Changes {
			if whole && change.Old == "" && len(c.Parents) < 2 {
				a.ages[fileName(change.Path)] = c.Time
			}
		}
	}
	if a.objects, err = repo.Objects(ctx); err != nil {
		return nil, err
	}
	a.repo = repo
	return a, nil
}

func (a *authorship) close() {
	if a.objects != nil {
		a.objects.Close()
	}
}

// folders are those of the collections in some form.
func (a *authorship) folders(form func(dir string) string) (all []string) {
	for _, c := range a.ws.Collections {
		all = append(all, form(c.Dir))
	}
	return all
}

// fileName is what tells documents with one id apart in a history: a document that is put away
// keeps it.
func fileName(file string) string { return strings.ToLower(path.Base(file)) }

// foldIn is the id with which the name of a document's file begins, folded: all of the name where
// it does not begin with an id, and "" for a file that is no document.
func (a *authorship) foldIn(file string) string {
	if _, ok := a.ws.CollectionOf(file); !ok {
		return ""
	}
	id, _ := a.ws.Layout.IDIn(stem(file))
	return store.FoldID(id)
}

// isPlaced reports whether a path is that of a document in git, and named by the id.
func (a *authorship) isPlaced(b *bearer) bool {
	real, err := a.ws.Resolve(b.to)
	return err == nil && real == b.to && a.foldIn(b.doc.Path) == b.fold()
}

// count adds a file to some names, or takes it from them.
func (a *authorship) count(names nameCounts, file string, n int) {
	fold := a.foldIn(file)
	if fold == "" {
		return
	}
	if names[fold] == nil {
		names[fold] = map[string]int{}
	}
	names[fold][fileName(file)] += n
}

// compare reads what commits have in place of the documents of HEAD.
func (a *authorship) compare(ctx context.Context, commits []string) error {
	if a.repo == nil {
		return nil
	}
	changed, err := a.repo.ToHead(ctx, commits, a.folders(git.Exactly))
	for commit, changes := range changed {
		more := nameCounts{}
		for _, c := range changes {
			switch {
			case c.New == "":
				a.count(more, c.Path, 1)
			case c.Old == "":
				a.count(more, c.Path, -1)
			}
		}
		a.more[commit] = more
	}
	return err
}

// namesIn returns the names of the documents of a commit that begin with an id, the first two of
// them. ok is false for a commit that compare has not read.
func (a *authorship) namesIn(commit, fold string) (names []string, ok bool) {
	all, ok := a.more[commit]
	if !ok {
		return nil, false
	}
	if names, ok := a.there[commitAndFold{commit, fold}]; ok {
		return names, true
	}
	head, more := a.head[fold], all[fold]
	for _, some := range []map[string]int{more, head} {
		for name := range some {
			if len(names) == 2 {
				break
			}
			if head[name]+more[name] > 0 && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	a.there[commitAndFold{commit, fold}] = names
	return names, true
}

// writer returns the commit that wrote a line of a file with these bytes, by its number from
// 1; "" for one that is not committed. It is asked for one file after the other.
func (a *authorship) writer(ctx context.Context, file, data string, line int) (string, error) {
	if a.of != file {
		a.of, a.writers = file, nil
		committed, err := a.blame(ctx, file)
		if err != nil {
			return "", err
		}
		if committed != nil {
			a.writers = carryOver(committed, linesOf(data))
		}
	}
	if line < 1 || line > len(a.writers) {
		return "", nil
	}
	return a.writers[line-1], nil
}

// carryOver gives lines the commits that wrote the same ones, "" to a line that is there more or
// less often now: it may be another one.
func carryOver(committed map[string][]string, lines []string) []string {
	writers, places, now := make([]string, len(lines)), make([]int, len(lines)), map[string]int{}
	for i, line := range lines {
		places[i] = now[line]
		now[line]++
	}
	for i, line := range lines {
		if commits := committed[line]; len(commits) == now[line] {
			writers[i] = commits[places[i]]
		}
	}
	return writers
}

func linesOf(text string) []string { return strings.Split(strings.ReplaceAll(text, "\r", ""), "\n") }

// blame returns the commits that wrote the lines of a file as it is in HEAD, by their texts; nil
// where that is not known.
func (a *authorship) blame(ctx context.Context, file string) (writers map[string][]string, err error) {
	if a.repo == nil || a.tree[file] == "" {
		return nil, nil
	}
	if a.blamed++; a.blamed > mostBlamed {
		return nil, nil
	}
	committed, err := a.objects.Read(a.tree[file], store.MaxFileSize)
	if err != nil {
		return nil, err
	}
	commits, err := a.repo.Blame(ctx, file)
	if err != nil {
		return nil, err
	}
	writers = map[string][]string{}
	lines := linesOf(string(committed))
	for i, commit := range commits[:min(len(commits), len(lines))] {
		writers[lines[i]] = append(writers[lines[i]], commit)
	}
	return writers, nil
}
