package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Tip is the commit of a ref, and its tree.
type Tip struct{ Commit, Tree string }

const (
	// refsSettle is how old a time in a repository must be to prove that nothing has changed
	// since: file systems count time in steps of up to two seconds.
	refsSettle = 3 * time.Second
	// mostRefs is how many refs are looked at.
	mostRefs = 100_000
)

// RefsStamp describes the files that hold the refs of dir's repository. Two equal ones
// prove that no ref has changed between. It is "" where the files prove nothing: they have
// changed just now, or there is no repository. git is not run.
func RefsStamp(dir string, now time.Time) string {
	common := CommonDir(dir)
	if common == "" {
		return ""
	}
	sum, fresh := sha256.New(), false
	note := func(name string, info fs.FileInfo) {
		fresh = fresh || now.Sub(info.ModTime()) < refsSettle
		fmt.Fprintf(sum, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
	}
	for _, name := range []string{"packed-refs", "reftable/tables.list"} {
		if info, err := os.Stat(filepath.Join(common, filepath.FromSlash(name))); err == nil {
			note(name, info)
		}
	}
	// git puts a new file in the place of a ref's, so that the time of the folder tells.
	err := filepath.WalkDir(filepath.Join(common, "refs"), func(p string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type()&fs.ModeSymlink != 0 {
			err = fs.ErrInvalid // what it leads to has times of its own
		}
		if err != nil || !entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			note(p, info)
		}
		return err
	})
	if err != nil || fresh {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Refs returns the commits that the first 100,000 refs (mostRefs) of dir lead to, each once.
// Errors: *Error where there is no repository, or none that is dir's own. Without git there are no
// tips and no error.
func Refs(ctx context.Context, dir string) (tips []Tip, err error) {
	if why := foreignRepository(dir); why != "" {
		return nil, &Error{said: "its refs are not read, since " + why}
	}
	seen := map[string]bool{}
	refs, err := runFor(ctx, MaxTime, dir, "for-each-ref", "--count="+strconv.Itoa(mostRefs),
		"--format=%(objecttype) %(objectname) %(tree)%0a%(*objecttype) %(*objectname) %(*tree)")
	for ref := range strings.SplitSeq(refs, "\n") {
		fields := strings.Fields(ref)
		if len(fields) == 3 && fields[0] == "commit" && !seen[fields[1]] {
			seen[fields[1]] = true
			tips = append(tips, Tip{Commit: fields[1], Tree: fields[2]})
		}
	}
	if errors.Is(err, errNotInstalled) {
		err = nil
	}
	return tips, err
}

// Within returns the path of dir in its worktree, slash-separated and "." at the top.
func Within(dir string) string {
	top, ok := Top(dir)
	if !ok {
		return "."
	}
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return "."
	}
	return path.Clean(filepath.ToSlash(rel))
}
