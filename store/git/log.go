package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Commit is one commit, and what it did to the files that were asked about.
type Commit struct {
	Hash    string
	Parents []string
	Time    time.Time // when it was committed
	Author  string
	Subject string
	Changes []PathChange // by the parent that they compare with
}

// A PathChange is what a commit did to one file. A renamed file has two: its old name has no
// New, its new name no Old.
type PathChange struct {
	Parent   int    // of Commit.Parents; 0 for the first commit
	Path     string // slash-separated, relative to the directory of the Repository
	Old, New string // the objects, "" where there is no file
}

// Exactly is the pathspec of one file.
func Exactly(path string) string { return ":(literal)" + path }

// Markdown is the pathspec of all Markdown files.
const Markdown = ":(glob)**/*.[mM][dD]"

// Named is the pathspec of the files of a name in a folder and below it.
func Named(dir, name string) string { return below(dir) + escapeGlob(name) }

// Identified is the pathspec of the files in a folder and below it whose names are an id, or
// an id and more.
func Identified(dir, id string) string { return below(dir) + escapeGlob(id) + "[-. _]*" }

func below(dir string) string {
	if dir == "." {
		return ":(glob)**/"
	}
	return ":(glob)" + escapeGlob(dir) + "/**/"
}

var escapeGlob = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace

// reading are the options with which git compares trees, whatever the configuration says:
// it shows no signatures, for which it would run a program, reads no file that the
// configuration names, and finds no renames.
var reading = []string{
	"--raw", "--no-abbrev", "-z", "-r", "--relative", "--no-renames", "--no-ext-diff", "--no-textconv",
	"--ignore-submodules=none", "-O" + os.DevNull,
}

// logging are the options of every log.
var logging = []string{"-c", "log.showRoot=true", "-c", "log.follow=false", "log", "--no-show-signature", "--no-notes", "--no-mailmap", "--no-decorate", "--no-color", "--encoding=UTF-8"}

// MostChanges is how many changes of files are read of a history: some 50 MB.
const MostChanges = 100_000

// Log returns the commits before and with HEAD that changed files of these pathspecs, no
// commit before one that came after it, else the newest first. A merge is among them when it differs from
// one of its parents, and is compared with each. Files in the root folder alone are not
// meant by an empty list. complete is false where there are more than most changes of files.
func (r *Repository) Log(ctx context.Context, pathspecs []string, most int) (commits []Commit, complete bool, err error) {
	args := slices.Concat(logging, reading, []string{
		"--format=" + logFormat, "--full-history", "--date-order", "--no-diff-merges", r.Head, "--",
	}, pathspecs)
	count := 0
	err = stream(ctx, r.dir, nil, args, func(out *bufio.Reader) error {
		var err error
		commits, err = readLog(out, func(n int) bool { count += n; return count < most })
		return err
	})
	if complete = !errors.Is(err, errEnough); err != nil && complete {
		return nil, false, err
	}
	return commits, complete, r.compareMerges(ctx, commits, pathspecs)
}

// compareMerges fills in what merges changed.
func (r *Repository) compareMerges(ctx context.Context, commits []Commit, pathspecs []string) error {
	var pairs [][2]string
	var merges []*Commit
	var parents []int
	for i := range commits {
		c := &commits[i]
		for n, parent := range c.Parents {
			if len(c.Parents) > 1 {
				pairs, merges, parents = append(pairs, [2]string{c.Hash, parent}), append(merges, c), append(parents, n)
			}
		}
	}
	return r.compare(ctx, pairs, pathspecs, func(i int, changes []PathChange) error {
		for _, c := range changes {
			c.Parent = parents[i]
			merges[i].Changes = append(merges[i].Changes, c)
		}
		return nil
	})
}

// ToHead returns what became of the files of these pathspecs from each of some commits to HEAD:
// Old is the commit's, New that of HEAD. Of the commits behind the first 100,000 changes it
// returns nothing.
func (r *Repository) ToHead(ctx context.Context, commits, pathspecs []string) (changes map[string][]PathChange, err error) {
	pairs := make([][2]string, len(commits))
	for i, commit := range commits {
		pairs[i] = [2]string{r.Head, commit}
	}
	count := 0
	changes = make(map[string][]PathChange, len(commits))
	err = r.compare(ctx, pairs, pathspecs, func(i int, all []PathChange) error {
		changes[commits[i]] = all
		if count += len(all); count > MostChanges {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return changes, err
}

// compare yields what the first commit of each pair changed in files of these pathspecs, as
// compared with the second one, in one run of git.
func (r *Repository) compare(
	ctx context.Context, pairs [][2]string, pathspecs []string, yield func(pair int, changes []PathChange) error,
) error {
	if len(pairs) == 0 {
		return nil
	}
	var asked strings.Builder
	for _, pair := range pairs {
		fmt.Fprintf(&asked, "%s %s\n", pair[0], pair[1])
	}
	args := slices.Concat([]string{"diff-tree", "--stdin", "--always", "--root"}, reading, []string{"--"}, pathspecs)
	return stream(ctx, r.dir, strings.NewReader(asked.String()), args, func(out *bufio.Reader) error {
		for i, pair := range pairs {
			hash, err := token(out)
			if err != nil || hash != pair[0] {
				return errors.Join(errLog, err)
			}
			changes, err := readChanges(out)
			if err == nil {
				err = yield(i, changes)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// logFormat begins each commit with a byte that no line of changes begins with. No field
// can have a NUL.
const logFormat = "%x01%H%x00%P%x00%ct%x00%an%x00%s"

// errLog says that git printed what no version of it is known to print.
var errLog = errors.New("git printed a history that cannot be read")

// readLog reads what git log printed in logFormat. goOn tells, given how many changes a
// commit has, whether to read the next one. Errors: errEnough where it does not and there is
// a next one.
func readLog(out *bufio.Reader, goOn func(changes int) bool) (commits []Commit, err error) {
	enough := false
	err = eachCommit(out, func(c Commit) error {
		if enough {
			return errEnough
		}
		commits = append(commits, c)
		enough = !goOn(max(1, len(c.Changes)))
		return nil
	})
	return commits, err
}

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
		c := Commit{Hash: fields[0], Parents: strings.Fields(fields[1]), Time: time.Unix(seconds, 0).UTC(), Author: fields[3], Subject: fields[4]}
		if c.Changes, err = readChanges(out); err != nil {
			return err
		}
		if err := yield(c); err != nil {
			return err
		}
	}
}

// readChanges reads the changes of one commit: `:100644 100644 old new M`, and a path. A
// merge that is compared with all its parents at once has as many colons, modes and objects
// more; of those, what it made is read.
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
	var text []byte
	for {
		part, err := out.ReadSlice(0)
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		text = append(text, part[:min(len(part), longest-len(text))]...)
		switch {
		case ended:
			return string(text), nil
		case errors.Is(err, io.EOF) && len(text) > 0:
			return string(text), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
}

// Renames returns which names files had before, by the names that commits gave them, as git
// tells a renamed file by similar bytes. Without commits it looks at the whole history. A
// commit with more than 1,000 such files is passed over, and merges are.
func (r *Repository) Renames(ctx context.Context, commits, pathspecs []string) (before map[string][]string, err error) {
	finding := slices.Concat(reading, []string{"-M", "-l1000", "--diff-filter=R"})
	args := slices.Concat(logging, finding, []string{"--format=", "--full-history", "--no-merges", r.Head, "--"}, pathspecs)
	if len(commits) > 0 {
		args = slices.Concat([]string{"diff-tree", "--stdin", "--no-commit-id"}, finding, []string{"--"}, pathspecs)
	}
	before = make(map[string][]string)
	err = stream(ctx, r.dir, strings.NewReader(strings.Join(commits, "\n")+"\n"), args, func(out *bufio.Reader) error {
		for range MostChanges {
			line, err := token(out)
			if errors.Is(err, io.EOF) {
				return nil
			}
			old, errOld := token(out)
			now, errNow := token(out)
			if err := errors.Join(err, errOld, errNow); err != nil || !strings.HasPrefix(strings.TrimLeft(line, "\n"), ":") {
				return errors.Join(errLog, err)
			}
			if !slices.Contains(before[now], old) {
				before[now] = append(before[now], old)
			}
		}
		return errEnough
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return before, err
}

// Messages yields the newest of some commits and those before them, as many as most, with
// their messages in place of their subjects. It has the time of a run that reads little. Errors:
// *UnreadableError where that is over.
func (r *Repository) Messages(ctx context.Context, tips []string, most int, yield func(Commit)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, answerTime, errLate)
	defer cancel()
	args := slices.Concat(logging, []string{"-z", "--format=" + strings.Replace(logFormat, "%s", "%B", 1), "-n", strconv.Itoa(most)}, tips, []string{"--"})
	err := stream(ctx, r.dir, nil, args, func(out *bufio.Reader) error {
		return eachCommit(out, func(c Commit) error {
			yield(c)
			return nil
		})
	})
	return unreadableIfLate(err)
}
