package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
)

// MergeFile merges three files into ours as git does by itself, and reports whether there are
// conflicts. Their markers have this size and the labels of ours, base and theirs. It knows
// nothing of documents, and has no limit of size. The error is an *Error where git cannot
// merge them, as it cannot binary files.
func MergeFile(
	ctx context.Context, base, ours, theirs string, labels [3]string, markerSize int,
) (conflicts bool, err error) {
	args := []string{"merge-file", "--quiet", "--diff3", "--marker-size=" + strconv.Itoa(markerSize)}
	for _, label := range labels {
		args = append(args, "-L", label)
	}
	args = append(args, "--")
	for _, file := range []string{ours, base, theirs} {
		path, err := filepath.Abs(file)
		if err != nil {
			return false, err
		}
		args = append(args, path)
	}
	_, err = runFor(ctx, MaxTime, filepath.Dir(args[len(args)-3]), args...)
	// The code is the number of conflicts, up to 127.
	if said := (*Error)(nil); errors.As(err, &said) && said.code > 0 && said.code <= 127 {
		return true, nil
	}
	return false, err
}

// MergeText is MergeFile for texts, and returns ours with what is merged into it.
func MergeText(ctx context.Context, base, ours, theirs string, markerSize int) (merged string, err error) {
	dir, err := os.MkdirTemp("", "issues-index-merge-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var files [3]string
	for i, text := range []string{base, ours, theirs} {
		files[i] = filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(files[i], []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	labels := [3]string{"ours", "base", "theirs"}
	if _, err := MergeFile(ctx, files[0], files[1], files[2], labels, markerSize); err != nil {
		return "", err
	}
	data, err := os.ReadFile(files[1])
	return string(data), err
}
