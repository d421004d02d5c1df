package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Blame returns the commit that wrote each line of a file as it is on disk, "" for a line that is
// not committed. A commit that changed nothing but the blanks of a line did not write it. Error:
// *Error where git does not know the file.
func (r *Repository) Blame(ctx context.Context, path string) (commits []string, err error) {
	filters, err := filterOptions(ctx, r.dir) // git passes the file to them
	if err != nil {
		return nil, err
	}
	args := slices.Concat(filters, []string{
		"-c", "blame.ignoreRevsFile=", "blame", "--porcelain", "-w", "--no-textconv", "--no-progress", "--", path,
	})
	err = stream(ctx, r.dir, nil, args, func(out *bufio.Reader) error {
		const longest = 64 << 20 // bytes of a line
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, longest)
		begins := true // a line of the file, with the commit that wrote it
		for lines.Scan() {
			commit, _, ok := strings.Cut(lines.Text(), " ")
			switch {
			case strings.HasPrefix(lines.Text(), "\t"): // the line itself, after all that is said of it
				begins = true
			case begins && (!ok || strings.Trim(commit, "0123456789abcdef") != ""):
				return errLog
			case begins && strings.Trim(commit, "0") == "":
				commits, begins = append(commits, ""), false
			case begins:
				commits, begins = append(commits, commit), false
			}
		}
		return lines.Err()
	})
	return commits, err
}

// MarkdownFiles returns the paths of the Markdown files that git tracks in the directory of the
// repository and below it. A link is none.
func (r *Repository) MarkdownFiles(ctx context.Context) (paths []string, err error) {
	args := []string{"ls-files", "--cached", "--stage", "-z", "--", Markdown}
	err = stream(ctx, r.dir, nil, args, func(out *bufio.Reader) error {
		for {
			entry, err := token(out)
			if errors.Is(err, io.EOF) {
				return nil
			}
			meta, path, ok := strings.Cut(entry, "\t")
			if err != nil || !ok {
				return errors.Join(errLog, err)
			}
			if isFile(meta) {
				paths = append(paths, path)
			}
		}
	})
	return paths, err
}

// A CommittedFile is a file of a commit, by its path from the directory of the repository.
type CommittedFile struct{ Commit, Path string }

// Existing reports which of some files there are, with one run of git.
func (r *Repository) Existing(ctx context.Context, files []CommittedFile) (map[CommittedFile]bool, error) {
	files = slices.DeleteFunc(files, func(f CommittedFile) bool { return strings.Contains(f.Path, "\n") })
	var asked strings.Builder
	for _, f := range files {
		fmt.Fprintf(&asked, "%s:./%s\n", f.Commit, f.Path)
	}
	existing := map[CommittedFile]bool{}
	args := []string{"cat-file", "--batch-check=%(objecttype)"}
	err := stream(ctx, r.dir, strings.NewReader(asked.String()), args, func(out *bufio.Reader) error {
		for _, f := range files {
			line, err := out.ReadString('\n')
			if err != nil {
				return err
			}
			existing[f] = line == "blob\n"
		}
		return nil
	})
	return existing, err
}
