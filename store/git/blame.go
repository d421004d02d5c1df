package git

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
)

// Blame returns the commit that wrote each line of a file, as HEAD has the file. A commit that
// changed nothing but the blanks of a line did not write it. Error: *Error where HEAD has no
// such file.
func (r *Repository) Blame(ctx context.Context, path string) (commits []string, err error) {
	args := []string{
		"-c", "blame.ignoreRevsFile=", "blame", "--porcelain", "-w", "--no-textconv", "--no-progress", r.Head, "--", path,
	}
	err = stream(ctx, r.dir, nil, args, func(out *bufio.Reader) error {
		begins := true // a line of the file, with the commit that wrote it
		for {
			line, err := out.ReadSlice('\n')
			long := errors.Is(err, bufio.ErrBufferFull)
			switch {
			case errors.Is(err, io.EOF):
				return nil
			case err != nil && !long:
				return err
			case begins:
				commit, _, ok := strings.Cut(string(line), " ")
				if !ok || strings.Trim(commit, "0123456789abcdef") != "" {
					return errLog
				}
				commits, begins = append(commits, commit), false
			case line[0] == '\t': // the line itself is the last of what is said of it
				begins = true
			}
			for long {
				_, err = out.ReadSlice('\n')
				long = errors.Is(err, bufio.ErrBufferFull)
			}
		}
	})
	return commits, err
}

// MarkdownFiles returns the paths of the Markdown files that git tracks in the directory of the
// repository and below it. A link is none.
func (r *Repository) MarkdownFiles(ctx context.Context) (paths []string, err error) {
	err = stream(ctx, r.dir, nil, []string{"ls-files", "--cached", "--stage", "-z", "--", Markdown}, func(out *bufio.Reader) error {
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
