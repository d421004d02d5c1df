package web

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"issues-index/store/markdown"
)

// linkDocuments makes links of what a text names, and changes the rest for a page: headings
// are below the page's title, which is the first; boxes have numbers; images are
// links, since a page loads nothing from elsewhere; links to files that are no documents lead
// nowhere.
func linkDocuments(tree ast.Node, references []markdown.Reference, address func(markdown.Reference) string) {
	var mentions []markdown.Reference
	files := map[string]string{} // addresses of documents, by the path as written
	for _, r := range references {
		to := address(r)
		switch {
		case to == "":
		case r.Kind == markdown.FileLink:
			files[r.Target] = to
		default:
			mentions = append(mentions, r)
		}
	}
	boxes := 0
	var levels headingLevels
	var texts, images []ast.Node
	// which returns the function's error, and that has none
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			levels.put(n)
		case *extast.TaskCheckBox:
			boxes++
			n.SetAttributeString("number", strconv.Itoa(boxes))
		case *ast.Link:
			n.Destination = []byte(destination(string(n.Destination), files))
			return ast.WalkContinue, nil
		case *ast.Image:
			images = append(images, n)
		case *ast.Text:
			if !inside(n, ast.KindLink, ast.KindAutoLink, ast.KindCodeSpan, ast.KindImage) {
				texts = append(texts, n)
			}
		}
		return ast.WalkContinue, nil
	})
	next := 0 // texts and mentions are both in the order of the source
	for _, n := range texts {
		if t, ok := n.(*ast.Text); ok {
			next = linkText(t, mentions, next, address)
		}
	}
	for _, n := range images {
		if image, ok := n.(*ast.Image); ok {
			link := ast.NewLink()
			link.Destination = []byte(destination(string(image.Destination), files))
			link.AppendChild(link, ast.NewString([]byte("image: ")))
			for child := image.FirstChild(); child != nil; {
				following := child.NextSibling()
				link.AppendChild(link, child)
				child = following
			}
			image.Parent().ReplaceChild(image.Parent(), image, link)
		}
	}
}

// headingLevels are the levels, as a text has them, of a heading and of those that it is
// below.
type headingLevels []int

// put takes the next heading of a text and puts it directly below the one that it belongs to,
// since those who move by headings miss levels that are left out. The first level is that of
// the page's title.
func (l *headingLevels) put(h *ast.Heading) {
	for len(*l) > 0 && (*l)[len(*l)-1] >= h.Level {
		*l = (*l)[:len(*l)-1]
	}
	*l = append(*l, h.Level)
	h.Level = min(len(*l)+1, 6)
}

// inside reports whether a node is below one of a kind.
func inside(n ast.Node, kinds ...ast.NodeKind) bool {
	for up := n.Parent(); up != nil; up = up.Parent() {
		for _, kind := range kinds {
			if up.Kind() == kind {
				return true
			}
		}
	}
	return false
}

// linkText makes links in one run of text of the mentions from next on that lie in it, and
// returns the first one behind it.
func linkText(t *ast.Text, mentions []markdown.Reference, next int, address func(markdown.Reference) string) int {
	parent, at := t.Parent(), t.Segment
	for ; next < len(mentions) && mentions[next].Start < at.Stop; next++ {
		m := mentions[next]
		if m.Start < at.Start || m.End > at.Stop {
			continue
		}
		if m.Start > at.Start {
			parent.InsertBefore(parent, t, ast.NewTextSegment(text.NewSegment(at.Start, m.Start)))
		}
		link := ast.NewLink()
		link.Destination = []byte(address(m))
		link.AppendChild(link, ast.NewTextSegment(text.NewSegment(m.Start, m.End)))
		parent.InsertBefore(parent, t, link)
		at.Start = m.End
	}
	t.Segment = at
	return next
}

// destination is where a link of a text leads on a page: an address of the web, a heading of
// the same text, or the page of a document. A link to anything else leads nowhere.
func destination(written string, files map[string]string) string {
	u, err := url.Parse(written)
	switch {
	case err != nil:
		return ""
	case u.Scheme != "" || u.Host != "":
		return written // the sanitiser allows some schemes
	case u.Path == "" && u.Fragment != "":
		return "#h-" + slug(u.Fragment)
	}
	to := files[u.Path]
	if to != "" && u.Fragment != "" {
		to += "#h-" + slug(u.Fragment)
	}
	return to
}

// slug is a heading as a part of an id: letters and digits in lower case, hyphens for blanks.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case unicode.IsSpace(r):
			return '-'
		}
		return -1
	}, strings.TrimSpace(heading))
}
