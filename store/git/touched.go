package git

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Touch is the last commit that changed a file, and what it made of it.
type Touch struct {
	Object string    // that the file is
	Time   time.Time // when it was committed
}

// LastTouches returns when the files of HEAD in some folders were last changed, by path, in
// two runs of git. known is what it returned for the commit since, which HEAD has in its
// history; both may be empty. Files whose last change is not known, as in a shallow clone
// with no history, are left out.
func (r *Repository) LastTouches(
	ctx context.Context, dirs []string, since string, known map[string]Touch,
) (map[string]Touch, error) {
	files, err := r.Tree(ctx, r.Head, dirs)
	if err != nil {
		return nil, err
	}
	touches := make(map[string]Touch, len(files))
	args := slices.Concat(reading, []string{"--format=" + logFormat, "--date-order", "-c", r.Head})
	if since != "" {
		args = append(args, "^"+since)
	}
	err = r.log(ctx, slices.Concat(args, []string{"--"}, exactly(dirs)), func(c Commit) error {
		for _, change := range c.Changes {
			if object, ok := files[change.Path]; ok && object == change.New {
				touches[change.Path] = Touch{object, c.Time}
				delete(files, change.Path)
			}
		}
		return nil
	})
	for path, object := range files { // no commit since then has touched them
		if touch, ok := known[path]; ok && touch.Object == object {
			touches[path] = touch
		}
	}
	return touches, err
}

// ObjectName is the name that git gives a file, in the form of another one.
func ObjectName(like string, data []byte) string {
	sum := sha1.New()
	if len(like) == hex.EncodedLen(sha256.Size) {
		sum = sha256.New()
	}
	fmt.Fprintf(sum, "blob %d\x00", len(data))
	sum.Write(data)
	return hex.EncodeToString(sum.Sum(nil))
}

// HeadStamp describes the files that say which commit dir's worktree has checked out. Two
// equal ones prove that it is the same. It is "" where there is no repository. git is not
// run.
func HeadStamp(dir string) string {
	c := checkoutOf(dir)
	if c.own == "" {
		return ""
	}
	head := readSmall(filepath.Join(c.own, "HEAD"))
	parts := []string{c.own, head, readSmall(filepath.Join(c.own, "reftable", "tables.list"))}
	if ref, ok := strings.CutPrefix(head, "ref: "); ok && filepath.IsLocal(filepath.FromSlash(ref)) {
		for _, name := range []string{ref, "reftable/tables.list"} {
			parts = append(parts, readSmall(filepath.Join(c.common, filepath.FromSlash(name))))
		}
		if info, err := os.Stat(filepath.Join(c.common, "packed-refs")); err == nil {
			parts = append(parts, fmt.Sprint(info.Size(), info.ModTime().UnixNano()))
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}
