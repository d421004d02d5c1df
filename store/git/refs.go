package git

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
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
	// mostRefs is how many refs, and how many files of refs, are looked at.
	mostRefs = 100_000
)

// RefsStamp describes the files that hold the refs of dir's repository. Two equal ones
// prove that no ref has changed between. It is "" where the files prove nothing: they have
// changed just now, or are too many, or there is no repository. git is not run.
func RefsStamp(dir string, now time.Time) string {
	common := CommonDir(dir)
	if common == "" {
		return ""
	}
	sum, count, fresh := sha256.New(), 0, false
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
		if count++; err != nil || count > mostRefs {
			return errors.Join(err, errEnoughRefs)
		}
		if entry.Type()&fs.ModeSymlink != 0 { // its target changes without it
			return errEnoughRefs
		}
		if !entry.IsDir() {
			return nil
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

// errEnoughRefs ends a walk that cannot prove anything.
var errEnoughRefs = errors.New("the refs cannot be told by their files")

// Refs returns the commits that dir's refs lead to, each once. Errors: *Error where there is
// no repository, or none that is dir's own; no tips and no error without git.
func Refs(ctx context.Context, dir string) (tips []Tip, err error) {
	if why := foreignRepository(dir); why != "" {
		return nil, &Error{said: "its refs are not read, since " + why}
	}
	seen := map[string]bool{}
	format := "--format=%(objecttype) %(objectname) %(tree)%00%(*objecttype) %(*objectname) %(*tree)"
	err = stream(ctx, dir, nil, []string{"for-each-ref", "--count=" + strconv.Itoa(mostRefs), format}, func(out *bufio.Reader) error {
		for {
			line, err := out.ReadString('\n')
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			for part := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), "\x00") {
				fields := strings.Fields(part)
				if len(fields) == 3 && fields[0] == "commit" && !seen[fields[1]] {
					seen[fields[1]] = true
					tips = append(tips, Tip{Commit: fields[1], Tree: fields[2]})
				}
			}
		}
	})
	if errors.Is(err, errNotInstalled) {
		err = nil
	}
	return tips, err
}

// A TreeEntry is one name in a tree. A link or a submodule is neither a file nor a folder.
type TreeEntry struct {
	Name   string
	File   bool
	Folder string // its tree, "" for what is none
}

// ReadTrees reads trees with one run of git, in rounds: next is given the entries of the
// trees of the round before, in their order and nil for one that the clone lacks, and
// returns the trees of the next round, until there are none.
func ReadTrees(ctx context.Context, dir string, next func(read [][]TreeEntry) (trees []string)) error {
	trees := next(nil)
	if len(trees) == 0 {
		return nil
	}
	input, asking := io.Pipe()
	defer func() { _ = input.Close() }()
	// It ends when asking is closed. Closed before git has read its end, it would be an error.
	reader := struct{ io.Reader }{input}
	return stream(ctx, dir, reader, []string{"cat-file", "--batch"}, func(out *bufio.Reader) error {
		defer func() { _ = asking.Close() }()
		for len(trees) > 0 {
			asked := []byte(strings.Join(trees, "\n") + "\n")
			go func() { _, _ = asking.Write(asked) }() // git answers meanwhile
			read := make([][]TreeEntry, len(trees))
			for i := range trees {
				var err error
				if read[i], err = readTree(out, len(trees[i])/2); err != nil {
					return err
				}
			}
			trees = next(read)
		}
		return nil
	})
}

// mostTree is how large a tree may be, in bytes: of some 500,000 names.
const mostTree = 32 << 20

// readTree reads what git cat-file says of one tree, whose entries have object names of
// width bytes.
func readTree(out *bufio.Reader, width int) ([]TreeEntry, error) {
	line, err := out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(line) // name, type and size, or name and "missing"
	if len(fields) != 3 {
		return nil, nil
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || size < 0 {
		return nil, &Error{said: "its trees cannot be read"}
	}
	if size > mostTree || fields[1] != "tree" {
		_, err = io.CopyN(io.Discard, out, size+1)
		return nil, err
	}
	data := make([]byte, size+1) // with a line end
	if _, err := io.ReadFull(out, data); err != nil {
		return nil, err
	}
	return parseTree(data[:size], width), nil
}

// parseTree reads the entries of a tree, up to the first that is none.
func parseTree(data []byte, width int) []TreeEntry {
	entries := []TreeEntry{}
	for {
		mode, rest, ok := bytes.Cut(data, []byte(" "))
		name, rest, named := bytes.Cut(rest, []byte{0})
		if !ok || !named || len(rest) < width {
			return entries
		}
		entry := TreeEntry{Name: string(name), File: bytes.HasPrefix(mode, []byte("100"))}
		if string(mode) == "40000" {
			entry.Folder = hex.EncodeToString(rest[:width])
		}
		entries = append(entries, entry)
		data = rest[width:]
	}
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
