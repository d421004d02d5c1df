package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
)

// MergeText merges three texts as git does by itself, and reports whether there are conflicts. Their
// markers have this size and the names ours, base and theirs. It knows nothing of documents, and has
// no limit of size. The error is an *Error where git cannot merge them, as it cannot binary files.
func MergeText(
	ctx context.Context, base, ours, theirs string, markerSize int,
) (merged string, conflicts bool, err error) {
	dir, err := os.MkdirTemp("", "issues-index-merge-")
	if err != nil {
		return "", false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for name, text := range map[string]string{"base": base, "ours": ours, "theirs": theirs} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return "", false, err
		}
	}
	_, err = runFor(ctx, MaxTime, dir, "merge-file", "--quiet", "--diff3", "--marker-size="+strconv.Itoa(markerSize),
		"-L", "ours", "-L", "base", "-L", "theirs", "ours", "base", "theirs")
	// The code is the number of conflicts, up to 127.
	if said := (*Error)(nil); errors.As(err, &said) && said.code > 0 && said.code <= 127 {
		conflicts, err = true, nil
	}
	if err != nil {
		return "", false, err
	}
	data, err := os.ReadFile(filepath.Join(dir, "ours"))
	return string(data), conflicts, err
}
