package repair

import (
	"iter"
	"net/url"
	"path"
	"slices"
	"strings"

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
	candidates []*bearer
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
}

// A referenceScanner finds the places that name bearers.
type referenceScanner struct {
	ws      *store.Workspace
	groups  map[string][]*bearer // by the id's fold
	moved   map[string][]*bearer // those that had the id before, by its fold
	byPath  map[string]*bearer
	byName  map[string][]*bearer // by the name of the file without its ending, in lower case
	numbers map[string]int       // how many documents have a number
	shared  map[string]bool      // the numbers of the bearers
	odd     []string             // names of bearers' files that do not begin with an id as text mentions it, in lower case
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
				f.add(foundReference{start: start, end: end, form: asPath, target: b})
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
	if r.target == nil && len(r.candidates) == 1 {
		r.target = r.candidates[0]
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
			if len(s.meant(store.FoldLink(s.ws.Layout, id))) > 0 || s.shared[numberOf(id)] || s.byName[strings.ToLower(id)] != nil {
				return true
			}
		}
	}
	low := strings.ToLower(f.data)
	return slices.ContainsFunc(s.odd, func(name string) bool { return strings.Contains(low, name) })
}

// know adds a bearer to those that are looked for.
func (s *referenceScanner) know(b *bearer) {
	fold, name := b.fold(), strings.ToLower(stem(b.doc.Path))
	s.groups[fold] = append(s.groups[fold], b)
	s.byPath[b.doc.Path] = b
	s.byName[name] = append(s.byName[name], b)
	if number := numberOf(b.doc.ID); number != "" {
		s.shared[number] = true
	}
	for start := range s.ws.Layout.Mentions(name) {
		if start == 0 { // what names the file mentions an id
			return
		}
	}
	s.odd = append(s.odd, name, strings.ToLower(url.PathEscape(name)))
}

// meant are the bearers that an id may mean, by its fold: those that have it, and those that
// had it.
func (s *referenceScanner) meant(fold string) []*bearer {
	return slices.Concat(s.groups[fold], s.moved[fold])
}

// mentionsIn yields where ids of the groups stand in a part of a text.
func (s *referenceScanner) mentionsIn(text string, from, to int) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for start, end := range s.ws.Layout.Mentions(text[from:to]) {
			if len(s.meant(store.FoldID(text[from+start:from+end]))) > 0 && !yield(from+start, from+end) {
				return
			}
		}
	}
}

// mention adds an id, which may be the beginning of a file's name, or a part of the text of the
// first of the links behind it.
func (s *referenceScanner) mention(f *scannedFile, start, end int, code bool, links []foundReference) {
	r := foundReference{start: start, end: end, candidates: s.meant(store.FoldID(f.data[start:end])), code: code}
	if named := namedBy(r.candidates, f.data[end:]); len(named) > 0 {
		r.form, r.candidates = asName, named
		if b := s.inFolder(f, start, named); b != nil {
			r.candidates = []*bearer{b}
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

// namedBy returns the bearers whose files' names go on behind the id as a text does.
func namedBy(bearers []*bearer, text string) (named []*bearer) {
	for _, b := range bearers {
		rest := stem(b.doc.Path)[b.namedID():]
		if rest == "" {
			rest = path.Ext(b.doc.Path)
		}
		for _, form := range []string{rest, url.PathEscape(rest)} {
			if len(text) >= len(form) && strings.EqualFold(text[:len(form)], form) && !goesOn(text[len(form):]) {
				named = append(named, b)
				break
			}
		}
	}
	return named
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
func (s *referenceScanner) inFolder(f *scannedFile, start int, named []*bearer) *bearer {
	folder := f.data[strings.LastIndexAny(f.data[:start], " \t\n()[]<>\"'`|,=")+1 : start]
	if folder == "" {
		return nil
	}
	if plain, err := url.PathUnescape(folder); err == nil {
		folder = plain
	}
	for _, b := range named {
		file := folder + path.Base(b.doc.Path)
		if s.ws.LinkedPath(f.path, file) == b.doc.Path || path.Clean(strings.TrimLeft(file, "/")) == b.doc.Path {
			return b
		}
	}
	return nil
}

// named adds what a link is written with: an id, a number, or the name or path of a file.
func (s *referenceScanner) named(f *scannedFile, start, end int, written string, frontmatter bool) {
	id := store.LinkedID(written)
	fold := store.FoldLink(s.ws.Layout, id)
	r := foundReference{start: start, end: end, candidates: s.meant(fold)}
	if len(r.candidates) == 0 {
		r.form, r.candidates = asName, s.byName[strings.ToLower(id)]
		if len(r.candidates) > 1 {
			if b := s.inFolder(f, start+max(0, strings.LastIndexByte(f.data[start:end], '/')+1), r.candidates); b != nil {
				r.candidates = []*bearer{b}
			}
		}
		if i := strings.LastIndexByte(f.data[start:end], '/'); i >= 0 { // the folder is no part of the name
			r.start += i + 1
		}
	}
	if number := numberOf(id); len(r.candidates) == 0 && frontmatter && number != "" && number == strings.TrimLeft(id, "0") {
		r.form = asNumber
		for _, bearers := range s.groups {
			for _, b := range bearers {
				if numberOf(b.doc.ID) == number {
					r.candidates = append(r.candidates, b)
				}
			}
		}
		if s.numbers[number] > len(r.candidates) && len(r.candidates) > 0 { // others have the number, too
			r.candidates = append(r.candidates, nil)
		}
	}
	if len(r.candidates) > 0 {
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
		for _, at := range linkValue().FindAllStringIndex(f.data[from:to], -1) {
			start, end := from+at[0], from+at[1]
			if !slices.ContainsFunc(f.refs[first:], func(r foundReference) bool { return r.start < end && start < r.end }) {
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
