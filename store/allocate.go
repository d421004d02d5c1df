package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// idsFile holds the highest number given out for each prefix. The lock orders
// its writers, so that processes whose indexes have not seen each other's newest
// documents yet do not choose the same id.
const idsFile = "ids"

// allocate chooses the next id in a collection and remembers it. walk says to look at
// every document of the workspace rather than trust the caller's floor.
func (m *Mutation) allocate(ctx context.Context, c Collection, o CreateOptions, walk bool) (string, error) {
	typ := c.Type
	if err := m.readGiven(); err != nil {
		return "", err
	}
	s := m.w.ids
	base := s.highest[typ]
	var known []int
	if o.Floor != nil {
		floor, err := o.Floor(typ)
		if err != nil {
			return "", fmt.Errorf("find the highest id: %w", err)
		}
		base = max(base, floor)
		if o.Outliers != nil {
			known = o.Outliers(typ)
		}
	}
	seen, given := s.scanWorktrees(m.w)
	known = append(known, seen[typ]...)
	base = HighestNumber(base, known)
	// A number in our own file that is far above the caller's documents is either an
	// outlier or shows that the caller has not seen new documents yet.
	if o.Floor == nil || walk || m.given[typ] > base+MaxNumberGap {
		seen, err := s.scan(ctx, m.w)
		if err != nil {
			return "", err
		}
		known = append(known, seen[typ]...)
		base = HighestNumber(base, known)
	}
	number := highestGiven(base, known, append(given[typ], m.given[typ])) + 1
	if number > lastNumber {
		return "", m.usedUp(ctx, c, number-1)
	}
	s.highest[typ] = number
	if err := m.remember(typ, number); err != nil {
		return "", err
	}
	return NewID(typ, number), nil
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
func (m *Mutation) usedUp(ctx context.Context, c Collection, highest int) error {
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
			if t, number, ok := IDNumber(f.Collection.Type, name); ok && t == c.Type && number == highest {
				return &ConflictError{f.Path, "has the last possible number: renumber it, then run issues-index rebuild"}
			}
		}
	}
	return &ConflictError{c.Dir, "had a document with the last possible number: run issues-index rebuild"}
}

// retire keeps the number of a document that is being deleted from being given
// out again.
func (m *Mutation) retire(ctx context.Context, doc *Document) error {
	err := m.readGiven()
	if err != nil {
		return err
	}
	for _, name := range []string{doc.ID, stem(doc.Path)} {
		typ, number, ok := IDNumber(doc.Collection, name)
		if !ok || number <= m.given[typ] {
			continue
		}
		outlier, e := m.isOutlier(ctx, typ, number)
		if e == nil && !outlier {
			e = m.remember(typ, number)
			m.w.ids.seeGiven(m.given)
		}
		err = errors.Join(err, e)
	}
	return err
}

// isOutlier judges the number of a document by those that this process has seen,
// and where they are far below by all documents.
func (m *Mutation) isOutlier(ctx context.Context, typ string, number int) (bool, error) {
	s := m.w.ids
	if number <= min(s.highest[typ]+MaxNumberGap, lastNumber) {
		return false, nil
	}
	seen, err := s.scan(ctx, m.w)
	if err != nil {
		return false, err
	}
	base := HighestNumber(s.highest[typ], seen[typ])
	return number > highestGiven(base, seen[typ], []int{m.given[typ]}), nil
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
	m.givenSize, m.given = len(data), parseGiven(data)
	if st.Symlink { // a new file takes its place: what it leads to is not ours to write to
		m.givenSize = -1
	}
	m.w.ids.seeGiven(m.given)
	return nil
}

// parseGiven reads the numbers in a file of those given out, by type. What is no
// number there counts as none: the file may be missing, or torn by a crash of
// the machine.
func parseGiven(data []byte) map[string]int {
	given := map[string]int{}
	for line := range strings.Lines(string(data)) {
		prefix, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		number, err := strconv.Atoi(digits)
		for typ, known := range idPrefixes {
			if known == prefix && err == nil && number <= maxIDNumber {
				given[typ] = max(given[typ], number)
			}
		}
	}
	return given
}

// remember writes down that a number is taken, before it is used. The file keeps
// its length, and is written in place, which is half the work of replacing it: a
// number that grows, and of which only the first digits are written, is the old
// one or larger than the new one, and both will do. An outlier that gives way to a
// lower number is replaced at once.
func (m *Mutation) remember(typ string, number int) error {
	p, err := m.cacheFile(idsFile)
	if err != nil {
		return err
	}
	after := maps.Clone(m.given)
	for t, highest := range m.w.ids.highest {
		after[t] = max(after[t], highest)
	}
	after[typ] = max(m.w.ids.highest[typ], number)
	var text strings.Builder
	for _, t := range Types {
		fmt.Fprintf(&text, "%s %0*d\n", idPrefixes[t], len(strconv.Itoa(maxIDNumber)), after[t])
	}
	grows := after[typ] >= m.given[typ]
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
