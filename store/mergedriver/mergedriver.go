// Package mergedriver is what git runs to merge documents: it merges the three files that git
// has written, by the rules of the workspace that the document is in.
//
// It knows nothing of git's index or branches, and writes our file alone. Its invariants:
//
//   - our file is replaced whole, or not at all when there is an error: what is in it has
//     everything of both sides, between markers where they disagree;
//   - where a document cannot be merged by its own rules it is merged as git merges by itself;
//   - the layout of the workspace is the only other file that is read.
package mergedriver

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/store/frontmatter"
	"issues-index/store/git"
	"issues-index/store/layout"
	"issues-index/store/merge"
	"issues-index/store/userfile"
)

// An Invocation is what git tells of a merge.
type Invocation struct {
	Base, Ours, Theirs string // files; Base is empty where there is no common version
	MarkerSize         int    // of conflict markers in characters, 7 when 0
	Path               string // of the document, relative to the working directory; "" when it is not known
}

// A MergedFile says what has become of a merge.
type MergedFile struct {
	Conflicts  int      // places with markers; at least 1 where they were not counted
	Conflicted []string // what they are in, see merge.Merged
	Notes      []string // what a person may want to know, a sentence each
}

// Merge merges the files into that of our side.
func Merge(ctx context.Context, r Invocation) (MergedFile, error) {
	var texts [3][]byte
	plain := ""
	for i, name := range []string{r.Base, r.Ours, r.Theirs} {
		data, err := os.ReadFile(name)
		if err != nil {
			return MergedFile{}, err
		}
		if len(data) > frontmatter.MaxFileSize {
			plain = fmt.Sprintf("it is over %d bytes long", frontmatter.MaxFileSize)
		}
		texts[i] = data
	}
	workspace, err := layoutOf(r.Path)
	if err != nil && plain == "" {
		plain = "the configuration of its workspace cannot be used: " + err.Error()
	}
	if plain != "" {
		return r.mergePlainly(ctx, texts, plain)
	}
	labels := merge.Labels{MarkerSize: r.MarkerSize} // git says no better names
	m, err := merge.Documents(ctx, workspace, texts[0], texts[1], texts[2], labels)
	if err != nil {
		return MergedFile{}, err
	}
	if !bytes.Equal(m.Data, texts[1]) {
		if err := userfile.Replace(r.Ours, m.Data); err != nil {
			return MergedFile{}, fmt.Errorf("write the merged document: %w", err)
		}
	}
	return MergedFile{m.Conflicts, m.Conflicted, m.Notes}, nil
}

// mergePlainly has git merge the texts by itself.
func (r Invocation) mergePlainly(ctx context.Context, texts [3][]byte, why string) (MergedFile, error) {
	o := MergedFile{Notes: []string{"Git has merged the document line by line: " + why + "."}}
	size := cmp.Or(max(r.MarkerSize, 0), 7)
	merged, conflicts, err := git.MergeText(ctx, string(texts[0]), string(texts[1]), string(texts[2]), size)
	if err == nil {
		err = userfile.Replace(r.Ours, []byte(merged))
	}
	if conflicts {
		o.Conflicts, o.Conflicted = 1, []string{merge.Text}
	}
	return o, err
}

// layoutOf returns the layout of the workspace that a document is in. The document, and the
// folders that it is in, need not be there.
func layoutOf(path string) (*layout.Layout, error) {
	if path == "" {
		return layout.Default(), nil
	}
	dir, err := filepath.Abs(filepath.Dir(filepath.FromSlash(path)))
	if err != nil {
		return nil, err
	}
	dir, _ = cachedir.Ancestor(dir, func(dir string) bool {
		info, err := os.Stat(dir)
		return err == nil && info.IsDir()
	})
	root, err := store.RootOf(dir, func(string) bool { return false })
	if err != nil {
		return nil, err
	}
	workspace, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
	if err != nil {
		return nil, err
	}
	return workspace.Layout, workspace.Close()
}
