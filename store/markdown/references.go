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
// at, nor is the text of a link that leads to a file itself, nor a paragraph that takes too long.
// A link definition counts once, and only when it is used.
func References(body string, mentions Mentions) []Reference {
	if !mayRefer(body, mentions) {
		return nil
	}
	source, offset := readable(body)
	blankCostly(source)
	f := &referenceFinder{source: source, mentions: mentions, files: map[int]bool{}}
	f.read(parseSource(referenceParser(), source))
	slices.SortStableFunc(f.found, func(a, b Reference) int { return cmp.Compare(a.Start, b.Start) })
	line, counted := 1, 0
	for i := range f.found {
		r := &f.found[i]
		r.Start, r.End = offset+r.Start, offset+r.End
		line += strings.Count(body[counted:r.Start], "\n")
		r.Line, counted = line, r.Start
	}
	return f.found
}

// mayRefer reports whether a text has what looks like a reference before it is parsed.
func mayRefer(text string, mentions Mentions) bool {
	for range mentions(text) {
		return true
	}
	marks := []string{"](", "][", "[[", "]:"}
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(text, mark) })
}

// A referenceFinder gathers the references of one text.
type referenceFinder struct {
	source   []byte
	mentions Mentions
	files    map[int]bool // by the places of the destinations that were read: whether they are files
	found    []Reference
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
		case *ast.String:
			start := f.placeOf(n.Value)
			f.add(WikiLink, string(n.Value), start, start+len(n.Value))
		case *ast.Link:
			if f.link(n.Destination) {
				return ast.WalkSkipChildren, nil
			}
		case *ast.Image:
			if f.link(n.Destination) {
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

// placeOf is where a part of the source begins: a slice of it, as goldmark makes it, it has all
// that follows there as its capacity.
func (f *referenceFinder) placeOf(part []byte) int { return cap(f.source) - cap(part) }

// link adds a link that leads to a file, and reports whether it is one. Links of one
// definition have its destination in common, which may be long and is looked at once.
func (f *referenceFinder) link(destination []byte) bool {
	start := f.placeOf(destination)
	if isFile, known := f.files[start]; known {
		return isFile
	}
	target, length := filePath(destination)
	f.files[start] = target != ""
	if target != "" {
		f.add(FileLink, target, start, start+length)
	}
	return target != ""
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
