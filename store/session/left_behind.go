package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"issues-index/store/words"
)

// leftBehind names the documents of the workspace that the session's new worktree lacks, since
// they are not committed; "" for none, and where they cannot be listed.
func (w Sessions) leftBehind(ctx context.Context, s Session) string {
	const most = 5
	listing, err := w.List(ctx)
	if err != nil {
		return ""
	}
	root, lacking := w.WorkspaceOf(s), 0
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
	if more := lacking - len(named); more > 0 {
		named[len(named)-1] += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("the worktree lacks %s that the commit does not have: %s; commit them and merge, or read them in %s",
		words.Count(lacking, "document"), strings.Join(named, ", "), w.Root)
}
