package markdown

import (
	"bytes"
	"cmp"
	"iter"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"issues-index/store/pattern"
)

// A ReferenceKind says how a text names a document.
type ReferenceKind string

// The kinds of references.
const (
	Mention  ReferenceKind = "mention" // an id in prose
	WikiLink ReferenceKind = "wiki"    // [[page#heading|alias]]
	FileLink ReferenceKind = "link"    // a Markdown link to an .md file
)

// A Reference is a place in a text that may name a document.
type Reference struct {
	Kind ReferenceKind
	// Target is the id as written, the page of a wiki link, or the path of a link with its
	// escapes resolved and without query and fragment.
	Target string
	// Start and End are the offsets of the id, the page or the path as written, without what
	// follows them in a link. A path that a link definition holds is there.
	Start, End int
	Line       int // of Start, from 1
}

// Mentions yields where ids stand in a plain text (see layout.Naming.Mentions).
type Mentions = func(text string) iter.Seq2[int, int]

// References lists what a text names, in its order. Code, HTML and comments are not looked
// at, nor is the text of a link that leads to a file itself. A link definition counts once,
// and only when it is used.
func References(body string, mentions Mentions) (found []Reference) {
	hints := hintsIn(body, mentions)
	all := parts(body, hints.within)
	if len(hints) > 0 && strings.Contains(body, "]:") { // a link definition counts for the whole text
		all = func(yield func(int, string) bool) { yield(0, body) }
	}
	for start, part := range all {
		for _, r := range referencesIn(part, mentions) {
			r.Start, r.End = start+r.Start, start+r.End
			found = append(found, r)
		}
	}
	slices.SortStableFunc(found, func(a, b Reference) int { return cmp.Compare(a.Start, b.Start) })
	line, counted := 1, 0
	for i := range found {
		line += strings.Count(body[counted:found[i].Start], "\n")
		found[i].Line, counted = line, found[i].Start
	}
	return found
}

// hints are the offsets, in order, of what looks like a reference before the text is parsed:
// ids, and brackets that are not those of boxes.
type hints []int

func hintsIn(text string, mentions Mentions) (all hints) {
	defined := strings.Contains(text, "]:") // even [x], perhaps
	for i := 0; i < len(text); i++ {
		bracket := strings.IndexByte(text[i:], '[')
		if bracket < 0 {
			break
		}
		i += bracket
		if _, isBox := boxLabel(text[i:min(len(text), i+len("[ ] "))]); !isBox || defined {
			all = append(all, i)
		}
	}
	brackets := len(all)
	for start := range mentions(text) {
		all = append(all, start)
	}
	if brackets > 0 && brackets < len(all) {
		slices.Sort(all)
	}
	return all
}

// within reports whether one is between two offsets.
func (h hints) within(start, end int) bool {
	i, _ := slices.BinarySearch(h, start)
	return i < len(h) && h[i] < end
}

// referencesIn is References for a text that is parsed as a whole, in no order and without
// lines. A text that takes long names nothing.
func referencesIn(text string, mentions Mentions) []Reference {
	source, offset := readable(text)
	if inlineStepsOf(source) > maxInlineSteps && takesLong(source) != "" {
		return nil
	}
	doc := parseSource(referenceParser(), source)
	f := &referenceFinder{source: source, mentions: mentions, definitions: definitionsOf(doc), used: map[string]bool{}}
	f.read(doc)
	for i := range f.found {
		f.found[i].Start, f.found[i].End = offset+f.found[i].Start, offset+f.found[i].End
	}
	return f.found
}

// definitionsOf are the link definitions of a document by their labels. The first one of a
// label counts.
func definitionsOf(doc ast.Node) map[string]*ast.LinkReferenceDefinition {
	all := map[string]*ast.LinkReferenceDefinition{}
	eachBlock(doc, func(n ast.Node) {
		if d, ok := n.(*ast.LinkReferenceDefinition); ok {
			if label := util.ToLinkReference(d.Label); all[label] == nil {
				all[label] = d
			}
		}
	})
	return all
}

// A referenceFinder gathers the references of one text.
type referenceFinder struct {
	source      []byte
	mentions    Mentions
	definitions map[string]*ast.LinkReferenceDefinition
	used        map[string]bool // by the labels of those that were: whether they lead to a file
	found       []Reference
}

// read finds the references below a node.
func (f *referenceFinder) read(doc ast.Node) {
	start, stop := 0, 0 // of the prose that has been read and not looked at yet
	flush := func() {
		prose := string(f.source[start:stop])
		for from, to := range f.mentions(prose) {
			f.add(Mention, prose[from:to], start+from, start+to)
		}
		start, stop = 0, 0
	}
	// Walk returns the function's error, which is always nil.
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		case *wikiLink:
			f.add(WikiLink, n.page, n.start, n.start+len(n.page))
		case *ast.Link:
			if f.link(n, n.Destination, n.Reference) {
				return ast.WalkSkipChildren, nil
			}
		case *ast.Image:
			if f.link(n, n.Destination, n.Reference) {
				return ast.WalkSkipChildren, nil
			}
		case *ast.Text:
			if n.Segment.Start != stop {
				flush()
				start = n.Segment.Start
			}
			stop = n.Segment.Stop
		}
		return ast.WalkContinue, nil
	})
	flush()
}

func (f *referenceFinder) add(kind ReferenceKind, target string, start, end int) {
	f.found = append(f.found, Reference{Kind: kind, Target: target, Start: start, End: end})
}

// link adds a link that leads to a file, and reports whether it is one.
func (f *referenceFinder) link(n ast.Node, destination []byte, reference *ast.ReferenceLink) bool {
	if reference != nil {
		return f.defined(util.ToLinkReference(reference.Value))
	}
	target, length := filePath(destination)
	if target == "" {
		return false
	}
	closing, _ := n.AttributeString(closingBracket)
	start, _ := closing.(int)
	start += bytes.Index(f.source[start:], destination)
	f.add(FileLink, target, start, start+length)
	return true
}

// defined adds a link definition when it is first used, and reports whether it leads to a
// file. Its destination, which may be long, is looked at once.
func (f *referenceFinder) defined(label string) bool {
	if isFile, known := f.used[label]; known {
		return isFile
	}
	d := f.definitions[label]
	target, length := filePath(d.Destination)
	f.used[label] = target != ""
	if start := destinationIn(d, f.source); target != "" && start >= 0 {
		f.add(FileLink, target, start, start+length)
	}
	return target != ""
}

// destinationIn is where a link definition has its destination.
func destinationIn(d *ast.LinkReferenceDefinition, source []byte) int {
	skip := len(d.Label)
	for i := range d.Lines().Len() {
		segment := d.Lines().At(i)
		from := min(segment.Start+skip, segment.Stop)
		if at := bytes.Index(source[from:segment.Stop], d.Destination); at >= 0 {
			return from + at
		}
		skip = max(0, skip-segment.Len())
	}
	return -1
}

// scheme begins a web address, or another destination that is no path.
var scheme = pattern.Lazy(`^[A-Za-z][A-Za-z0-9+.-]*:|^//`)

// filePath is the path of an .md file that the destination of a link is, with its escapes
// resolved, and the length of the path as it is written. It is "" for another destination.
func filePath(destination []byte) (target string, length int) {
	length = len(destination)
	if i := bytes.IndexAny(destination, "#?"); i >= 0 {
		length = i
	}
	target = string(resolved(destination[:length]))
	if plain, err := url.PathUnescape(target); err == nil {
		target = plain
	}
	isFile := len(target) > len(".md") && strings.EqualFold(path.Ext(target), ".md") && !scheme().MatchString(target)
	if !isFile || !utf8.ValidString(target) || strings.ContainsRune(target, 0) {
		return "", 0
	}
	return target, length
}
