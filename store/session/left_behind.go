package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"issues-index/store/git"
	"issues-index/store/words"
)

// MainWorktree returns the root of this workspace in the main worktree of its repository, ""
// where it is there, and where that is not known.
func (w Sessions) MainWorktree() string {
	top, common := git.Checkout(w.Root)
	rel, err := filepath.Rel(top, w.Root)
	if common == "" || common == filepath.Join(top, ".git") || err != nil {
		return ""
	}
	main := filepath.Join(filepath.Dir(common), rel)
	if !slices.Contains(git.OtherWorktrees(w.Root), main) {
		return ""
	}
	return main
}

// LeftBehind names the documents of the workspace that a worktree lacks which has the workspace
// at root, since they are not committed there; "" for none, and where they cannot be listed.
func (w Sessions) LeftBehind(ctx context.Context, root string) string {
	const most = 5
	listing, err := w.List(ctx)
	if err != nil {
		return ""
	}
	lacking := 0
	var named []string
	for _, file := range listing.Files {
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(file.Path))); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if lacking++; lacking > most {
			continue
		}
		name := file.Path
		if doc, _, err := w.Load(file.Path); err == nil {
			name = doc.ID
		}
		named = append(named, words.Cut(words.OneLine(name), 60))
	}
	if lacking == 0 {
		return ""
	}
	return fmt.Sprintf("the worktree lacks %s that the commit does not have: %s; "+
		"commit them and merge, or read them in %s", words.Count(lacking, "document"),
		strings.Join(named, ", ")+words.AndMore(lacking-len(named)), w.Root)
}
