package git

import (
	"bufio"
	"context"
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
	err = stream(ctx, r.dir, args, func(out *bufio.Reader) error {
		const longest = 64 << 20 // bytes of a line
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, longest)
		begins := true // a line of the file, with the commit that wrote it
		for lines.Scan() {
			switch line := lines.Text(); {
			case strings.HasPrefix(line, "\t"): // the line itself, after all that is said of it
				begins = true
			case begins:
				commit, _, _ := strings.Cut(line, " ")
				if strings.Trim(commit, "0") == "" {
					commit = ""
				}
				commits, begins = append(commits, commit), false
			}
		}
		return lines.Err()
	})
	return commits, err
}

// MarkdownFiles returns the objects of the Markdown files that git tracks in the directory of the
// repository and below it, by path. A link is none.
func (r *Repository) MarkdownFiles(ctx context.Context) (map[string]string, error) {
	return r.files(ctx, 1, "ls-files", "--cached", "--stage", "-z", "--", markdown)
}
