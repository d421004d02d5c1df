package repair

import (
	"cmp"
	"iter"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"issues-index/store"
	"issues-index/store/markdown"
	"issues-index/store/pattern"
)

// A foundReference is a place in a file that names a twin.
type foundReference struct {
	start, end int // in the file's bytes
	line       int // from 1
	form       referenceForm
	// target is the document that is meant, nil while that is open between the candidates.
	target     *twin
	candidates []*twin
	parent     bool // it is a link to the parent
	code       bool // it stands in code, HTML or the text of a link
}

// A referenceForm is how a place names a document.
type referenceForm int

const (
	asID     referenceForm = iota // ISS-000012
	asNumber                      // 12, in a link of the frontmatter
	asName                        // the id that begins the name of the file
)

// A scannedFile is a file with references.
type scannedFile struct {
	path    string
	data    string
	doc     *store.Document // nil for a file that is no document
	blocked string          // why it must not be changed, "" when it may be
	refs    []foundReference
}

func (f *scannedFile) add(r foundReference) {
	if r.target == nil && len(r.candidates) == 1 {
		r.target = r.candidates[0]
	}
	f.refs = append(f.refs, r)
}

// add adds a twin to those that are looked for.
func (p *duplicatePlanner) add(t *twin) {
	p.twins[t.fold()] = append(p.twins[t.fold()], t)
	if number := numberOf(t.doc.ID); number != "" {
		p.byNumber[number] = append(p.byNumber[number], t)
	}
}

// meaningOf are the documents that an id may mean, by its fold: those that have it, and those that
// had it.
func (p *duplicatePlanner) meaningOf(fold string) []*twin {
	return slices.Concat(p.twins[fold], p.former[fold])
}

// scan finds the references in one file.
func (p *duplicatePlanner) scan(f *scannedFile) {
	body := f.data
	if f.doc != nil {
		body = f.doc.Body
	}
	bodyAt := len(f.data) - len(body)
	p.scanFrontmatter(f, bodyAt)
	p.scanBody(f, bodyAt)
	slices.SortFunc(f.refs, func(a, b foundReference) int { return a.start - b.start })
	line, counted := 1, 0
	for i := range f.refs {
		line += strings.Count(f.data[counted:f.refs[i].start], "\n")
		f.refs[i].line, counted = line, f.refs[i].start
	}
	if len(f.refs) > 0 || p.byPath[f.path] != nil {
		p.files[f.path] = f
	}
}

// scanBody finds the references in the text of a file. Most have no id of twins. A link to a file
// tells what the ids in its path and in its text mean.
func (p *duplicatePlanner) scanBody(f *scannedFile, bodyAt int) {
	mentions := maps.Collect(p.mentionsIn(f.data, bodyAt, len(f.data)))
	if len(mentions) == 0 && !strings.Contains(f.data[bodyAt:], "[[") {
		return
	}
	prose := map[int]bool{} // where mentions begin that are no code
	linked := map[int]*twin{}
	for _, r := range markdown.References(f.data[bodyAt:], p.ws.Layout.Mentions) {
		start, end := bodyAt+r.Start, bodyAt+r.End
		target := p.byPath[p.ws.LinkedPath(f.path, r.Target)]
		before, isText := strings.CutSuffix(strings.TrimSuffix(f.data[bodyAt:start], "<"), "](")
		if r.Kind == markdown.FileLink && target != nil && isText {
			if at := strings.LastIndexAny(before, "[]\n"); at >= 0 && before[at] == '[' {
				start = bodyAt + at
			}
		}
		found := false
		for mention := range p.mentionsIn(f.data, start, end) {
			prose[mention], found = true, true
			if r.Kind == markdown.FileLink {
				linked[mention] = target
			}
		}
		if r.Kind == markdown.WikiLink && !found {
			p.addLink(f, start, end, "[["+r.Target+"]]", false)
		}
	}
	for start, end := range mentions {
		p.addMention(f, start, end, !prose[start], linked[start])
	}
}

// mentionsIn yields where ids of twins stand in a part of a text.
func (p *duplicatePlanner) mentionsIn(text string, from, to int) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for start, end := range p.ws.Layout.Mentions(text[from:to]) {
			if p.meaningOf(store.FoldID(text[from+start:from+end])) != nil && !yield(from+start, from+end) {
				return
			}
		}
	}
}

// addMention adds an id, which may begin the name of a file, or belong to a link to a file.
func (p *duplicatePlanner) addMention(f *scannedFile, start, end int, code bool, linked *twin) {
	r := foundReference{start: start, end: end, candidates: p.meaningOf(store.FoldID(f.data[start:end])), code: code}
	if slices.Contains(r.candidates, linked) {
		r.candidates = []*twin{linked}
	}
	if named := namedBy(r.candidates, f.data[end:]); named != nil {
		r.form, r.candidates = asName, named
	}
	f.add(r)
}

// namedBy returns the documents whose files' names go on behind the id as a text does, the longest
// of these names; nil for none.
func namedBy(candidates []*twin, text string) (named []*twin) {
	longest := 1
	for _, t := range candidates {
		rest := cmp.Or(t.rest(), path.Ext(t.doc.Path))
		length := max(foldedPrefix(text, rest), foldedPrefix(text, url.PathEscape(rest)))
		if length > longest {
			longest, named = length, nil
		}
		if length == longest {
			named = append(named, t)
		}
	}
	return named
}

// foldedPrefix is the length of a prefix that a text begins with in any letter case, if no word
// goes on there; else it is 0.
func foldedPrefix(text, prefix string) int {
	end := len(prefix)
	if len(text) < end || !strings.EqualFold(text[:end], prefix) {
		return 0
	}
	const goesOn = "abcdefghijklmnopqrstuvwxyz0123456789_-"
	if end < len(text) && strings.ContainsAny(strings.ToLower(text[end:end+1]), goesOn) {
		return 0
	}
	return end
}

// addLink adds what a link is written with: an id, or a number.
func (p *duplicatePlanner) addLink(f *scannedFile, start, end int, written string, inFrontmatter bool) {
	id := store.LinkedID(written)
	r := foundReference{start: start, end: end, candidates: p.meaningOf(store.FoldLink(p.ws.Layout, id))}
	number := numberOf(id)
	isNumber := inFrontmatter && number == strings.TrimLeft(id, "0")
	// Check names a number as ambiguous that other documents have, too.
	if twins := p.byNumber[number]; r.candidates == nil && isNumber && p.documents[number] == len(twins) {
		r.form, r.candidates = asNumber, twins
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
func (p *duplicatePlanner) scanFrontmatter(f *scannedFile, bodyAt int) {
	key, start := "", 0
	for line := range strings.Lines(f.data[:bodyAt]) {
		value := 0
		m := frontmatterKey().FindStringSubmatchIndex(line)
		if len(m) > 0 && (m[3] == 0 || store.LinkKindOf(line[m[4]:m[5]]) != "") {
			key, value = line[m[4]:m[5]], m[1]
		}
		if key != "id" && key != store.FormerIDsKey {
			p.scanValue(f, start+value, start+len(line), store.LinkKindOf(key))
		}
		start += len(line)
	}
}

// scanValue finds the references in a line of the value of a key. kind is that of the key's links,
// "" for a key that has none.
func (p *duplicatePlanner) scanValue(f *scannedFile, from, to int, kind store.LinkKind) {
	first := len(f.refs)
	for start, end := range p.mentionsIn(f.data, from, to) {
		p.addMention(f, start, end, false, nil)
	}
	if kind == "" {
		return
	}
	mentions := f.refs[first:len(f.refs):len(f.refs)]
	for _, at := range linkValue().FindAllStringIndex(f.data[from:to], -1) {
		start, end := from+at[0], from+at[1]
		if !slices.ContainsFunc(mentions, func(r foundReference) bool { return start < r.end && r.start < end }) {
			p.addLink(f, start, end, f.data[start:end], true)
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
