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
)

// idsFile holds the highest number given out for each series, one a line after the prefix
// of its ids or the parent's id. The lock orders its writers, so that processes whose indexes have not seen each other's newest
// documents yet do not choose the same id.
const idsFile = "ids"

// allocate chooses the id of a new document and remembers it. walk says to look at
// every document of the workspace rather than trust the caller's floor.
func (m *Mutation) allocate(ctx context.Context, n NewDocument, o CreateOptions, walk bool) (string, error) {
	if m.w.Layout.IDScheme == layout.SchemeHash {
		return m.newHash(ctx, n.Type, o, walk, m.w.ids.random)
	}
	series := m.w.IDSeries(n.Type, n.Parent)
	highest, err := m.highestTaken(ctx, series, o, walk)
	if err != nil {
		return "", err
	}
	number := highest + 1
	if number > lastNumber {
		return "", m.usedUp(ctx, n.Type, series, highest)
	}
	if o.Number != nil {
		if number, err = m.agreeNumber(o.Number, series, number); err != nil {
			return "", err
		}
	}
	m.w.ids.highest[series] = number
	if err := m.remember(series, number); err != nil {
		return "", err
	}
	return m.w.newID(n.Type, series, n.Parent, number), nil
}

// agreeNumber asks for a number of a series. One that is too far above the documents would
// count as an outlier, and is not used.
func (m *Mutation) agreeNumber(ask func(series string, next int) (number int, note string, err error), series string, next int) (int, error) {
	number, note, err := ask(series, next)
	if err != nil {
		return 0, err
	}
	if number < next || number >= next+MaxNumberGap || number > lastNumber {
		number, note = next, fmt.Sprintf("the number %d, which was to be used, does not go with those of the documents", number)
	}
	if m.note == "" {
		m.note = note
	} else if note != "" {
		m.note += "; " + note
	}
	return number, nil
}

// highestTaken returns the highest number of a series that a new document must not get.
func (m *Mutation) highestTaken(ctx context.Context, series string, o CreateOptions, walk bool) (int, error) {
	if err := m.readGiven(); err != nil {
		return 0, err
	}
	s := m.w.ids
	base := s.highest[series]
	var known []int
	if o.Floor != nil {
		floor, err := o.Floor(series)
		if err != nil {
			return 0, fmt.Errorf("find the highest id: %w", err)
		}
		base = max(base, floor)
		if o.Outliers != nil {
			known = o.Outliers(series)
		}
	}
	seen, given := s.scanWorktrees(m.w)
	m.note = s.refs.look(ctx, m)
	s.see(s.refs.taken)
	known = slices.Concat(known, seen[series], s.refs.taken[series])
	base = HighestNumber(base, known)
	// A number in our own file that is far above the caller's documents is either an
	// outlier or shows that the caller has not seen new documents yet.
	if o.Floor == nil || walk || m.given[series] > base+MaxNumberGap {
		seen, err := s.scan(ctx, m.w)
		if err != nil {
			return 0, err
		}
		known = append(known, seen[series]...)
		base = HighestNumber(base, known)
	}
	return highestGiven(base, known, append(given[series], m.given[series])), nil
}

// highestGiven is HighestNumber with the numbers given out by other processes.
// Those are near documents. One that is not is ignored: a repository can carry a
// file with any number. known are the numbers of documents.
func highestGiven(base int, known, given []int) int {
	slices.Sort(given)
	for _, n := range given {
		if base < n && n <= min(base+MaxNumberGap, lastNumber) {
			base = HighestNumber(n, known)
		}
	}
	return base
}

// usedUp says that no number is left above the highest one, and whose that is.
func (m *Mutation) usedUp(ctx context.Context, docType, series string, highest int) error {
	listing, err := m.w.List(ctx)
	if err != nil {
		return err
	}
	for _, f := range listing.Files {
		doc, _, err := m.w.Load(f.Path)
		if err != nil {
			continue
		}
		for _, name := range []string{doc.ID, stem(f.Path)} {
			if slices.Contains(m.w.IDNumbers(f.Collection.Type, name), IDNumber{series, highest}) {
				return &ConflictError{f.Path, "has the last possible number: renumber it, then run issues-index rebuild"}
			}
		}
	}
	home, _ := m.w.homeOf(docType)
	return &ConflictError{home.Dir, "had a document with the last possible number: run issues-index rebuild"}
}

// retire keeps the number of a document that is being deleted from being given
// out again.
func (m *Mutation) retire(ctx context.Context, doc *Document) error {
	err := m.readGiven()
	if err != nil {
		return err
	}
	for _, id := range slices.Concat(m.w.IDNumbers(doc.Collection, doc.ID), m.w.IDNumbers(doc.Collection, stem(doc.Path))) {
		if id.Number <= m.given[id.Series] {
			continue
		}
		outlier, e := m.isOutlier(ctx, id.Series, id.Number)
		if e == nil && !outlier {
			e = m.remember(id.Series, id.Number)
			m.w.ids.seeGiven(m.given)
		}
		err = errors.Join(err, e)
	}
	return err
}

// isOutlier judges the number of a document by those that this process has seen,
// and where they are far below by all documents.
func (m *Mutation) isOutlier(ctx context.Context, series string, number int) (bool, error) {
	s := m.w.ids
	if number <= min(s.highest[series]+MaxNumberGap, lastNumber) {
		return false, nil
	}
	seen, err := s.scan(ctx, m.w)
	if err != nil {
		return false, err
	}
	base := HighestNumber(s.highest[series], seen[series])
	return number > highestGiven(base, seen[series], []int{m.given[series]}), nil
}

// readGiven reads the highest numbers given out.
func (m *Mutation) readGiven() error {
	p, err := m.cacheFile(idsFile)
	if err != nil {
		return err
	}
	data, st, err := m.disk.read(p)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return WrapDiskError("read", p, err)
	}
	m.givenSize, m.given = len(data), m.w.parseGiven(data)
	if st.Symlink { // a new file takes its place: what it leads to is not ours to write to
		m.givenSize = -1
	}
	m.w.ids.seeGiven(m.given)
	return nil
}

// maxGivenSeries is how many series the file of numbers given out has at most: the numbers
// of documents that are there count without it.
const maxGivenSeries = 20_000

// parseGiven reads the numbers in a file of those given out, by series. What is no
// number there counts as none: the file may be missing, or torn by a crash of
// the machine.
func (w *Workspace) parseGiven(data []byte) map[string]int {
	given := map[string]int{}
	for line := range strings.Lines(string(data)) {
		if len(given) == maxGivenSeries {
			break
		}
		series, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		number, err := strconv.Atoi(digits)
		if err != nil || number > maxIDNumber {
			continue
		}
		known := false
		for _, docType := range Types {
			if series == w.seriesName(docType) {
				series, known = docType, true
				break
			}
		}
		if known || w.isChildSeries(series) {
			given[series] = max(given[series], number)
		}
	}
	return given
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
	return series == FoldID(series) && slices.ContainsFunc(Types, func(docType string) bool { return w.IDSeries(docType, series) == series })
}

// remember writes down that a number is taken, before it is used. The file keeps
// its length, and is written in place, which is half the work of replacing it: a
// number that grows, and of which only the first digits are written, is the old
// one or larger than the new one, and both will do. An outlier that gives way to a
// lower number is replaced at once.
func (m *Mutation) remember(series string, number int) error {
	p, err := m.cacheFile(idsFile)
	if err != nil {
		return err
	}
	after := maps.Clone(m.given)
	for _, docType := range Types {
		after[docType] = max(after[docType], m.w.ids.highest[docType])
	}
	after[series] = max(m.w.ids.highest[series], number)
	var text strings.Builder
	children := slices.DeleteFunc(slices.Sorted(maps.Keys(after)), func(name string) bool { return slices.Contains(Types, name) })
	for _, name := range slices.Concat(Types, children) {
		fmt.Fprintf(&text, "%s %0*d\n", m.w.seriesName(name), len(strconv.Itoa(maxIDNumber)), after[name])
	}
	grows := after[series] >= m.given[series]
	m.given = after
	if grows && text.Len() == m.givenSize {
		return WrapDiskError("write", p, m.disk.overwrite(p, []byte(text.String())))
	}
	m.givenSize = text.Len()
	return WrapDiskError("write", p, m.put(p, text.String()))
}

func (m *Mutation) cacheFile(name string) (string, error) {
	dir, err := m.w.Resolve(CacheDir)
	return path.Join(dir, name), WrapDiskError("find", CacheDir, err)
}
