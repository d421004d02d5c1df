package git

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Commit is one commit, and what it did to the files that were asked about. Hash and Parents are
// whole, in hexadecimal digits; Author and Subject are as a stranger wrote them.
type Commit struct {
	Hash    string
	Parents []string
	Time    time.Time // when it was committed
	Author  string
	Subject string
	Changes []PathChange
}

// A PathChange is what a commit did to one file. A renamed file has two: its old name has no
// New, its new name no Old.
type PathChange struct {
	Path     string // slash-separated, relative to the directory of the Repository
	Old, New string // the objects, "" where there is no file
}

// markdown is the pathspec of all Markdown files.
const markdown = ":(glob)**/*.[mM][dD]"

// exactly are the pathspecs of folders.
func exactly(dirs []string) []string {
	specs := make([]string, len(dirs))
	for i, dir := range dirs {
		specs[i] = ":(literal)" + dir
	}
	return specs
}

// reading are the options with which git compares trees, whatever the configuration says:
// it shows no signatures, for which it would run a program, reads no file that the
// configuration names, and finds no renames.
var reading = []string{
	"--raw", "--no-abbrev", "-z", "-r", "--relative", "--no-renames", "--no-ext-diff", "--no-textconv",
	"--ignore-submodules=none", "-O" + os.DevNull,
}

// logging are the options of every log.
var logging = []string{
	"-c", "log.showRoot=true", "-c", "log.follow=false", "log", "--no-show-signature", "--no-notes", "--no-mailmap",
	"--no-decorate", "--no-color", "--encoding=UTF-8",
}

// ErrEnough ends a log early.
var ErrEnough = errors.New("enough was read")

// Log yields the commits before and with HEAD that changed files in some folders, or any Markdown
// file where none is given: no commit before its descendants, else the newest first. A merge
// is compared with its first parent. It ends, without an error, when yield returns ErrEnough.
func (r *Repository) Log(ctx context.Context, dirs []string, yield func(Commit) error) error {
	specs := exactly(dirs)
	if len(dirs) == 0 {
		specs = []string{markdown}
	}
	options := []string{
		"--format=" + logFormat, "--full-history", "--date-order", "--diff-merges=first-parent", r.Head, "--",
	}
	return r.log(ctx, slices.Concat(reading, options, specs), yield)
}

func (r *Repository) log(ctx context.Context, args []string, yield func(Commit) error) error {
	err := stream(ctx, r.dir, slices.Concat(logging, args), func(out *bufio.Reader) error {
		return eachCommit(out, yield)
	})
	if errors.Is(err, ErrEnough) {
		return nil
	}
	return err
}

// logFormat begins each commit with a byte that no line of changes begins with. No field
// can have a NUL.
const logFormat = "%x01%H%x00%P%x00%ct%x00%an%x00%s"

// errLog says that git printed what no version of it is known to print.
var errLog = errors.New("git printed a history that cannot be read")

// eachCommit yields the commits that git log printed in logFormat, until yield fails.
func eachCommit(out *bufio.Reader, yield func(Commit) error) error {
	for {
		begin, err := out.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var fields [5]string
		for i := range fields {
			if err == nil {
				fields[i], err = token(out)
			}
		}
		seconds, badTime := strconv.ParseInt(fields[2], 10, 64)
		if err != nil || begin != 1 || badTime != nil || fields[0] == "" {
			return errors.Join(errLog, err)
		}
		c := Commit{
			Hash: fields[0], Parents: strings.Fields(fields[1]), Time: time.Unix(seconds, 0).UTC(),
			Author: fields[3], Subject: fields[4],
		}
		if c.Changes, err = readChanges(out); err != nil {
			return err
		}
		if err := yield(c); err != nil {
			return err
		}
	}
}

// readChanges reads the changes of one commit: `:100644 100644 old new M`, and a path. A merge that
// is compared with all its parents at once has as many colons, modes and objects more; of those,
// what it made is read.
func readChanges(out *bufio.Reader) (changes []PathChange, err error) {
	for {
		next, err := out.Peek(1)
		if err == nil && (next[0] == '\n' || next[0] == 0) { // 0 before those of a merge
			_, _ = out.Discard(1)
			next, err = out.Peek(1)
		}
		if errors.Is(err, io.EOF) || err == nil && next[0] != ':' {
			return changes, nil
		}
		if err != nil {
			return nil, err
		}
		line, err := token(out)
		if err != nil {
			return nil, err
		}
		path, err := token(out)
		modes := strings.TrimLeft(line, ":")
		before := len(line) - len(modes)
		fields := strings.Fields(modes)
		if err != nil || len(fields) != 2*before+3 {
			return nil, errors.Join(errLog, err)
		}
		c := PathChange{Path: path}
		if before == 1 && isFile(fields[0]) {
			c.Old = fields[2]
		}
		if isFile(fields[before]) {
			c.New = fields[2*before+1]
		}
		if c.Old != c.New {
			changes = append(changes, c)
		}
	}
}

// isFile reports whether a mode is that of a file with bytes, and not of a link, a submodule
// or of nothing.
func isFile(mode string) bool { return strings.HasPrefix(mode, "100") }

// token reads up to a NUL, with which git ends everything. Of a longer text than any that is
// of use it returns the beginning.
func token(out *bufio.Reader) (string, error) {
	const longest = 64 << 10 // bytes
	var text strings.Builder
	for {
		part, err := out.ReadSlice(0)
		text.Write(part[:min(len(part), longest-text.Len())])
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if errors.Is(err, io.EOF) && text.Len() > 0 {
			err = nil
		}
		return strings.TrimSuffix(text.String(), "\x00"), err
	}
}

// Messages yields the newest of some commits and those before them, as many as most, with
// their messages in place of their subjects. It has the time of a run that reads little. Errors:
// *UnreadableError where that is over.
func (r *Repository) Messages(ctx context.Context, tips []string, most int, yield func(Commit)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, answerTime, errLate)
	defer cancel()
	format := "--format=" + strings.Replace(logFormat, "%s", "%B", 1)
	args := slices.Concat([]string{"-z", format, "-n", strconv.Itoa(most)}, tips, []string{"--"})
	return unreadableIfLate(r.log(ctx, args, func(c Commit) error {
		yield(c)
		return nil
	}))
}
