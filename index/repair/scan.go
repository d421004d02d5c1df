package repair

import (
	"cmp"
	"iter"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"issues-index/store"
	"issues-index/store/markdown"
	"issues-index/store/pattern"
)

// A foundReference is a place in a file that names a bearer.
type foundReference struct {
	start, end int // in the file's bytes
	line       int // from 1
	form       referenceForm
	// target is the bearer that is meant, nil while that is open between the candidates.
	target     *bearer
	candidates *meaning
	parent     bool // it is a link to the parent
	code       bool // it stands in code, HTML or the text of a link
}

// A referenceForm is how a place names a bearer.
type referenceForm int

const (
	asID     referenceForm = iota // ISS-000012
	asNumber                      // 12, in a link of the frontmatter
	asName                        // the name of the file without its ending, or the id that begins it
	asPath                        // the path of the file
)

// A scannedFile is a file with references.
type scannedFile struct {
	path    string
	data    string
	doc     *store.Document // nil for a file that is no document
	blocked string          // why it must not be changed, "" when it may be
	refs    []foundReference
	left    int // places that are not changed, see duplicatePlanner.leave
}

// A meaning is what an id, a number or a name may mean. All places that are written with it share it.
type meaning struct {
	bearers []*bearer
	others  bool // documents with ids of their own, too
	names   *nameTree
	bases   []string           // of the files, the first different ones
	known   map[string]*bearer // by commit, see duplicatePlanner.existed
	changes *bool              // see duplicatePlanner.changesIn; nil while that is not known
}

func newMeaning(bearers ...*bearer) *meaning {
	const mostBases = 8 // names that differ by letter case or zeros alone
	m := &meaning{bearers: bearers}
	for _, b := range bearers {
		if base := path.Base(b.doc.Path); len(m.bases) < mostBases && !slices.Contains(m.bases, base) {
			m.bases = append(m.bases, base)
		}
	}
	return m
}

// A referenceScanner finds the places that name bearers.
type referenceScanner struct {
	ws      *store.Workspace
	groups  map[string][]*bearer // by the id's fold
	moved   map[string][]*bearer // those that had the id before, by its fold
	byPath  map[string]*bearer
	byName  map[string][]*bearer // by the name of the file without its ending, in lower case
	numbers map[string]int       // how many documents have a number
	shared  map[string][]*bearer // by number
	odd     bool                 // a bearer's file has a name that does not begin with an id as text mentions it

	folds, names, counts map[string]*meaning // by fold, name and number, of what was asked for
}

func newReferenceScanner(ws *store.Workspace) referenceScanner {
	return referenceScanner{
		ws: ws, groups: map[string][]*bearer{}, moved: map[string][]*bearer{}, byPath: map[string]*bearer{},
		byName: map[string][]*bearer{}, numbers: map[string]int{}, shared: map[string][]*bearer{},
		folds: map[string]*meaning{}, names: map[string]*meaning{}, counts: map[string]*meaning{},
	}
}

// meaningIn is what a key means, nil for nothing. It is made once.
func meaningIn(all map[string]*meaning, key string, bearers func() []*bearer) *meaning {
	m, known := all[key]
	if !known {
		if list := bearers(); len(list) > 0 {
			m = newMeaning(list...)
			all[key] = m
		}
	}
	return m
}

// meaningOf are the bearers that an id may mean, by its fold: those that have it, and those that
// had it.
func (s *referenceScanner) meaningOf(fold string) *meaning {
	return meaningIn(s.folds, fold, func() []*bearer { return slices.Concat(s.groups[fold], s.moved[fold]) })
}

// nameOf are the bearers whose files have a name.
func (s *referenceScanner) nameOf(name string) *meaning {
	return meaningIn(s.names, name, func() []*bearer { return s.byName[name] })
}

// numberMeans are the bearers with a number.
func (s *referenceScanner) numberMeans(number string) *meaning {
	m := meaningIn(s.counts, number, func() []*bearer { return s.shared[number] })
	if m != nil {
		m.others = s.numbers[number] > len(m.bearers)
	}
	return m
}

// scan finds the references in one file.
func (s *referenceScanner) scan(f *scannedFile) {
	if !s.mayName(f) {
		return
	}
	body, names := f.data, markdown.References
	if f.doc != nil {
		body = f.doc.Body
	}
	bodyAt := len(f.data) - len(body)
	prose := map[int]bool{} // where mentions begin that are no code
	for _, r := range names(body, s.ws.Layout.Mentions) {
		start, end := bodyAt+r.Start, bodyAt+r.End
		switch r.Kind {
		case markdown.Mention:
			prose[start] = true
		case markdown.FileLink:
			if b := s.byPath[s.ws.LinkedPath(f.path, r.Target)]; b != nil {
				f.add(foundReference{start: start, end: end, form: asPath, target: b, candidates: newMeaning(b)})
				break
			}
			for start := range s.mentionsIn(f.data, start, end) { // the file has another name by now
				prose[start] = true
			}
		case markdown.WikiLink:
			s.named(f, start, end, "[["+r.Target+"]]", false)
		}
	}
	s.scanFrontmatter(f, bodyAt)
	links := slices.DeleteFunc(slices.Clone(f.refs), func(r foundReference) bool { return r.start < bodyAt })
	for start, end := range s.mentionsIn(f.data, bodyAt, len(f.data)) {
		for len(links) > 0 && links[0].end <= start {
			links = links[1:]
		}
		if len(links) == 0 || links[0].start > start {
			s.mention(f, start, end, !prose[start], links)
		}
	}
	slices.SortFunc(f.refs, func(a, b foundReference) int { return a.start - b.start })
	line, counted := 1, 0
	for i := range f.refs {
		line += strings.Count(f.data[counted:f.refs[i].start], "\n")
		f.refs[i].line, counted = line, f.refs[i].start
	}
}

func (f *scannedFile) add(r foundReference) {
	if r.target == nil && len(r.candidates.bearers) == 1 && !r.candidates.others {
		r.target = r.candidates.bearers[0]
	}
	f.refs = append(f.refs, r)
}

// mayName reports whether a file can have references: most have none.
func (s *referenceScanner) mayName(f *scannedFile) bool {
	for range s.mentionsIn(f.data, 0, len(f.data)) {
		return true
	}
	if f.doc != nil {
		for _, link := range f.doc.AllLinks() {
			id := link.Destination.ID
			if s.meaningOf(store.FoldLink(s.ws.Layout, id)) != nil || s.shared[numberOf(id)] != nil || s.byName[strings.ToLower(id)] != nil {
				return true
			}
		}
	}
	return s.odd
}

// know adds a bearer to those that are looked for.
func (s *referenceScanner) know(b *bearer) {
	fold, name := b.fold(), strings.ToLower(stem(b.doc.Path))
	s.groups[fold] = append(s.groups[fold], b)
	s.byPath[b.doc.Path] = b
	s.byName[name] = append(s.byName[name], b)
	if number := numberOf(b.doc.ID); number != "" {
		s.shared[number] = append(s.shared[number], b)
	}
	if _, begins := s.ws.Layout.IDIn(name); !begins { // what names the file need not mention an id
		s.odd = true
	}
}

// mentionsIn yields where ids of the groups stand in a part of a text.
func (s *referenceScanner) mentionsIn(text string, from, to int) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for start, end := range s.ws.Layout.Mentions(text[from:to]) {
			if s.meaningOf(store.FoldID(text[from+start:from+end])) != nil && !yield(from+start, from+end) {
				return
			}
		}
	}
}

// mention adds an id, which may be the beginning of a file's name, or a part of the text of the
// first of the links behind it.
func (s *referenceScanner) mention(f *scannedFile, start, end int, code bool, links []foundReference) {
	r := foundReference{start: start, end: end, candidates: s.meaningOf(store.FoldID(f.data[start:end])), code: code}
	if named := r.candidates.namedBy(f.data[end:]); named != nil {
		r.form, r.candidates = asName, named
		if b := s.inFolder(f, start, named); b != nil {
			r.candidates = newMeaning(b)
		}
	}
	if len(links) > 0 && links[0].form == asPath && links[0].start >= end && isLinkText(f.data[end:links[0].start]) {
		r.target, r.code = links[0].target, false
	}
	f.add(r)
}

// isLinkText reports whether what stands between an id and the path of a link shows that the
// id is in the text of the link.
func isLinkText(between string) bool {
	const longest = 1000 // bytes
	text, ok := strings.CutSuffix(strings.TrimSuffix(between, "<"), "](")
	return ok && len(text) < longest && !strings.ContainsAny(text, "[]\n")
}

// A nameTree has what the names of bearers' files have behind the id, letter by letter.
type nameTree struct {
	next map[rune]*nameTree
	ends *meaning // those whose names end here
}

// namedBy returns the bearers whose files' names go on behind the id as a text does, the longest
// of these names; nil for none.
func (m *meaning) namedBy(text string) (named *meaning) {
	if m.names == nil {
		m.names = &nameTree{}
		for _, b := range m.bearers {
			rest := stem(b.doc.Path)[b.idEnd:]
			if rest == "" {
				rest = path.Ext(b.doc.Path)
			}
			m.names.add(rest, b)
			if escaped := url.PathEscape(rest); escaped != rest {
				m.names.add(escaped, b)
			}
		}
	}
	at := m.names
	for i, c := range text {
		if at.ends != nil && !goesOn(text[i:]) {
			named = at.ends
		}
		if at = at.next[unicode.ToLower(c)]; at == nil {
			return named
		}
	}
	return cmp.Or(at.ends, named)
}

func (t *nameTree) add(name string, b *bearer) {
	for _, c := range name {
		next := t.next[unicode.ToLower(c)]
		if next == nil {
			if next = new(nameTree); t.next == nil {
				t.next = map[rune]*nameTree{}
			}
			t.next[unicode.ToLower(c)] = next
		}
		t = next
	}
	if t.ends != nil {
		t.ends = newMeaning(append(t.ends.bearers, b)...)
		return
	}
	t.ends = newMeaning(b)
}

// goesOn reports whether a name that ends before a text goes on there.
func goesOn(text string) bool {
	if text == "" {
		return false
	}
	c := text[0] | 0x20
	return 'a' <= c && c <= 'z' || '0' <= text[0] && text[0] <= '9' || text[0] == '_' || text[0] == '-'
}

// inFolder returns the one of some bearers that a file's name with the folder before it leads
// to, nil where no folder tells.
func (s *referenceScanner) inFolder(f *scannedFile, start int, named *meaning) *bearer {
	folder := f.data[strings.LastIndexAny(f.data[:start], " \t\n()[]<>\"'`|,=")+1 : start]
	if folder == "" {
		return nil
	}
	if plain, err := url.PathUnescape(folder); err == nil {
		folder = plain
	}
	for _, base := range named.bases {
		file := folder + base
		if b := cmp.Or(s.byPath[s.ws.LinkedPath(f.path, file)], s.byPath[path.Clean(strings.TrimLeft(file, "/"))]); b != nil {
			return b
		}
	}
	return nil
}

// named adds what a link is written with: an id, a number, or the name or path of a file.
func (s *referenceScanner) named(f *scannedFile, start, end int, written string, frontmatter bool) {
	id := store.LinkedID(written)
	fold := store.FoldLink(s.ws.Layout, id)
	r := foundReference{start: start, end: end, candidates: s.meaningOf(fold)}
	if r.candidates == nil {
		r.form, r.candidates = asName, s.nameOf(strings.ToLower(id))
		if r.candidates != nil && len(r.candidates.bearers) > 1 {
			if b := s.inFolder(f, start+max(0, strings.LastIndexByte(f.data[start:end], '/')+1), r.candidates); b != nil {
				r.candidates = newMeaning(b)
			}
		}
		if i := strings.LastIndexByte(f.data[start:end], '/'); i >= 0 { // the folder is no part of the name
			r.start += i + 1
		}
	}
	if number := numberOf(id); r.candidates == nil && frontmatter && number != "" && number == strings.TrimLeft(id, "0") {
		r.form, r.candidates = asNumber, s.numberMeans(number)
	}
	if r.candidates != nil {
		f.add(r)
	}
}

var (
	frontmatterKey = pattern.Lazy(`^([ \t]*)["']?([A-Za-z_][A-Za-z0-9_-]*)["']?[ \t]*:`)
	linkValue      = pattern.Lazy("[^\\s,\\[\\](){}\"'#|:`<>]+")
)

// scanFrontmatter finds the references before the body. The document's own ids are none.
func (s *referenceScanner) scanFrontmatter(f *scannedFile, bodyAt int) {
	key, start := "", 0
	for line := range strings.Lines(f.data[:bodyAt]) {
		value := 0
		if m := frontmatterKey().FindStringSubmatchIndex(line); len(m) > 0 && (m[3] == 0 || store.LinkKindOf(line[m[4]:m[5]]) != "") {
			key, value = line[m[4]:m[5]], m[1]
		}
		if key != "id" && key != store.FormerIDsKey {
			s.scanValue(f, start+value, start+len(line), key)
		}
		start += len(line)
	}
}

// scanValue finds the references in a line of the value of a key.
func (s *referenceScanner) scanValue(f *scannedFile, from, to int, key string) {
	first := len(f.refs)
	kind := store.LinkKindOf(key)
	for start, end := range s.mentionsIn(f.data, from, to) {
		s.mention(f, start, end, false, nil)
	}
	if kind != "" {
		ids := f.refs[first:len(f.refs):len(f.refs)]
		for _, at := range linkValue().FindAllStringIndex(f.data[from:to], -1) {
			start, end := from+at[0], from+at[1]
			for len(ids) > 0 && ids[0].end <= start {
				ids = ids[1:]
			}
			if len(ids) == 0 || ids[0].start >= end {
				s.named(f, start, end, f.data[start:end], true)
			}
		}
	}
	for i := range f.refs[first:] {
		f.refs[first+i].parent = kind == store.Parent
	}
}

// numberOf is the number of an id without zeros before it, "" without one and for a hash.
func numberOf(id string) string {
	if store.IsHashID(id) {
		return ""
	}
	end := len(strings.TrimRight(id, "0123456789"))
	if strings.HasSuffix(id[:end], ".") {
		return ""
	}
	return strings.TrimLeft(id[end:], "0")
}
