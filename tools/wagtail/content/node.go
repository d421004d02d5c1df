package content

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func element(name string) *html.Node {
	return &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name))}
}

func text(data string) *html.Node { return &html.Node{Type: html.TextNode, Data: data} }

// copied returns a node that is in no tree, over the same children.
func copied(n *html.Node) *html.Node {
	return &html.Node{Type: n.Type, Data: n.Data, DataAtom: n.DataAtom, Attr: n.Attr, FirstChild: n.FirstChild, LastChild: n.LastChild}
}

func attribute(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// content is the text under a node as it stands there.
func content(n *html.Node) string {
	var b strings.Builder
	var write func(*html.Node)
	write = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case n.Data == "br":
			b.WriteByte('\n')
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			write(child)
		}
	}
	write(n)
	return b.String()
}
