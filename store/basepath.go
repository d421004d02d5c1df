package store

import (
	"cmp"
	"fmt"
	"path/filepath"

	"issues-index/store/cachedir"
)

// basePathVariable is where another program that keeps the same documents has the folder
// that the collections' folders are relative to.
const basePathVariable = "WRANGLER_ISSUE_BASE_PATH"

// A BasePathError refuses a base of the documents that does not lie in the workspace.
type BasePathError struct {
	Base, Root string
}

func (e *BasePathError) Error() string {
	return fmt.Sprintf("%s names %s, which is outside of the workspace %s", basePathVariable, e.Base, e.Root)
}

// rebase returns the workspace's root and the folder in it that the collections are
// relative to. A base elsewhere is the root itself, unless a root was named, too.
func rebase(o Options, root string) (newRoot, base string, err error) {
	given := o.Getenv(basePathVariable)
	if given == "" {
		return root, ".", nil
	}
	dir := given
	if !filepath.IsAbs(dir) {
		wd, err := o.Getwd()
		if err != nil {
			return "", "", fmt.Errorf("find the working directory: %w", err)
		}
		dir = filepath.Join(wd, dir)
	}
	if dir, err = cachedir.RealPath(dir); err != nil {
		return "", "", rootError(basePathVariable+" "+given, err)
	}
	if within, err := filepath.Rel(root, dir); err == nil && filepath.IsLocal(within) {
		return root, filepath.ToSlash(within), nil
	}
	if named := cmp.Or(o.Root, o.Getenv(rootVariable)); named != "" {
		return "", "", &BasePathError{given, root}
	}
	return dir, ".", nil
}
