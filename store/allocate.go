package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"issues-index/store/layout"
	"issues-index/store/words"
)

const (
	// idsFile holds the highest number given out for each series: a line with the prefix of
	// the ids, or the parent's id, and the number. The lock orders its writers, so that
	// processes whose indexes have not seen each other's newest documents do not choose the
	// same id. Programs of other versions read and write it, too.
	idsFile = "ids"
	// givenDigits is how many digits a number has in idsFile.
	givenDigits = 9
	// maxGivenSeries is how many series idsFile has at most: the numbers of documents that
	// are there count without it.
	maxGivenSeries = 20_000
)

// allocate chooses the id of a new document and remembers it.
func (m *Mutation) allocate(ctx context.Context, n NewDocument, o CreateOptions) (string, error) {
	hashes := m.w.Layout.IDScheme == layout.SchemeHash
	if hashes && o.Taken == nil || !hashes && o.Floor == nil {
		present, err := m.w.readIDs(ctx)
		if err != nil {
			return "", err
		}
		o.Floor, o.Taken = present.floor, present.taken
	}
	if hashes {
		return m.w.newHash(n.Type, o.Taken, m.w.ids.random)
	}
	series := m.w.IDSeries(n.Type, n.Parent)
	highest, err := m.highestTaken(ctx, series, o.Floor)
	if err != nil {
		return "", err
	}
	number := highest + 1
	if number > maxIDNumber {
		return "", m.w.usedUp(n.Type)
	}
	if o.Number != nil {
		if number, err = m.agreeNumber(o.Number, series, number); err != nil {
			return "", err
		}
	}
	if err := m.remember(numbers{series: number}); err != nil {
		return "", err
	}
	return m.w.newID(n.Type, series, n.Parent, number), nil
}

// agreeNumber asks for a number of a series, and uses next in place of a number that is lower or
// does not count.
func (m *Mutation) agreeNumber(ask NumberSource, series string, next int) (int, error) {
	number, note, err := ask(series, next)
	if err != nil {
		return 0, err
	}
	if number < next || number > maxIDNumber {
		note = fmt.Sprintf("the number %d, which was to be used, does not go with those of the documents", number)
		number = next
	}
	m.note = words.Notes(m.note, note)
	return number, nil
}

// highestTaken returns the highest number of a series that a new document must not get. floor
// is as CreateOptions has it.
func (m *Mutation) highestTaken(
	ctx context.Context, series string, floor func(series string) (int, error),
) (highest int, err error) {
	s := m.w.ids
	if _, err := m.readGiven(); err != nil {
		return 0, err
	}
	if highest, err = floor(series); err != nil {
		return 0, fmt.Errorf("find the highest id: %w", err)
	}
	m.note = s.refs.look(ctx, m)
	return max(highest, s.given[series], s.inWorktrees(m.w, series), s.refs.Numbers[series]), nil
}

// usedUp says that no number is left for a document of a type.
func (w *Workspace) usedUp(docType string) error {
	home, _ := w.homeOf(docType)
	return &ConflictError{home.Dir, fmt.Sprintf(
		"has no number left, since one of its ids, here or in another branch or worktree, has the last, %d: "+
			"give that document a lower number, end all servers of the workspace, "+
			"delete the files %s and %s in %s, then run issues-index rebuild", maxIDNumber, idsFile, refsFile, CacheDir,
	)}
}

// retire keeps the number of a document that is being deleted from being given
// out again.
func (m *Mutation) retire(doc *Document) error {
	written, err := m.readGiven()
	if err != nil {
		return err
	}
	taken := numbers{}
	taken.add(m.w.IDNumbers(doc.Collection, doc.ID))
	taken.add(m.w.IDNumbers(doc.Collection, Stem(doc.Path)))
	maps.DeleteFunc(taken, func(series string, number int) bool { return number <= written[series] })
	return m.remember(taken)
}

// readGiven reads the highest numbers given out. The file may have fewer than the process: its
// folder can be deleted at any time.
func (m *Mutation) readGiven() (written numbers, err error) {
	p, err := m.cacheFile(idsFile)
	if err != nil {
		return nil, err
	}
	data, _, err := m.disk.read(p)
	written = m.w.parseGiven(data)
	m.w.ids.given.merge(written)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return written, WrapDiskError("read", p, err)
}

// parseGiven reads the numbers in a file of those given out. A line without a number
// that counts is passed over: the file may be missing, or empty after a power failure. Then the numbers
// count that documents have, or had when the index saw them.
func (w *Workspace) parseGiven(data []byte) numbers {
	given := numbers{}
	for line := range strings.Lines(string(data)) {
		if len(given) == maxGivenSeries {
			break
		}
		name, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		number, err := strconv.Atoi(digits)
		if err != nil || number > maxIDNumber {
			continue
		}
		i := slices.IndexFunc(Types, func(docType string) bool { return name == w.seriesName(docType) })
		switch {
		case i >= 0:
			given.add([]IDNumber{{Types[i], number}})
		case w.isChildSeries(name):
			given.add([]IDNumber{{name, number}})
		}
	}
	return given
}

// formatGiven is the text of a file of the numbers given out. The types stand first, since
// parseGiven reads no more than maxGivenSeries lines.
func (w *Workspace) formatGiven(given numbers) string {
	var text strings.Builder
	typesFirst := func(a, b string) int {
		return cmp.Or(slices.Index(Types, b)-slices.Index(Types, a), strings.Compare(a, b))
	}
	for _, series := range slices.SortedFunc(maps.Keys(given), typesFirst) {
		fmt.Fprintf(&text, "%s %0*d\n", w.seriesName(series), givenDigits, given[series])
	}
	return text.String()
}

// seriesName is how the numbers of a series are called in their file: a type's by the
// prefix of its ids.
func (w *Workspace) seriesName(series string) string {
	if p, ok := w.Layout.IDs[series]; ok {
		return cmp.Or(strings.TrimRight(p.Prefix, "-_"), series)
	}
	return series
}

// isChildSeries reports whether a series can be that of a document's children.
func (w *Workspace) isChildSeries(series string) bool {
	return series == FoldID(series) &&
		slices.ContainsFunc(Types, func(docType string) bool { return w.IDSeries(docType, series) == series })
}

// remember writes down that numbers are taken, before they are used. readGiven was called before.
func (m *Mutation) remember(taken numbers) error {
	p, err := m.cacheFile(idsFile)
	if err != nil || len(taken) == 0 {
		return err
	}
	m.w.ids.given.merge(taken)
	return WrapDiskError("write", p, m.put(p, m.w.formatGiven(m.w.ids.given)))
}

func (m *Mutation) cacheFile(name string) (string, error) {
	dir, err := m.w.Resolve(CacheDir)
	return path.Join(dir, name), WrapDiskError("find", CacheDir, err)
}
