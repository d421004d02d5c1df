package web

import (
	"fmt"
	"slices"
	"strings"

	"issues-index/store/words"
	"issues-index/tools/layered"
)

// A drawnGraph is a graph with the place of each node and line.
type drawnGraph struct {
	Width, Height         int
	NodeWidth, NodeHeight int
	Nodes                 []drawnNode
	Lines                 []drawnLine // those of the longest chain last, above the others
	Circles               int         // lines that close a circle
	Chain                 []drawnNode // the longest chain of unfinished documents, what can be begun first
}

// A drawnNode is a node with its place.
type drawnNode struct {
	graphNode
	layered.Point
	Focus   bool // the graph is about it
	Chained bool // it is in the longest chain
}

// A drawnLine is the arrow from what is waited for to what waits.
type drawnLine struct {
	Class string // "", "chain" or "circle"
	Path  string // as SVG draws it
}

// leastChain is how many documents make a chain that is worth being named.
const leastChain = 3

// draw lays the graph out. at is the handle of the document that it is about, "" for none.
func (g *linkGraph) draw(at string) drawnGraph {
	l := layered.LayOut(len(g.nodes), g.edges)
	var unfinished []layered.Edge
	for i, e := range g.edges {
		if from := g.nodes[e.From]; !l.Circle[i] && from.State == "" && !from.finished && !g.nodes[e.To].finished {
			unfinished = append(unfinished, e)
		}
	}
	chain := layered.LongestChain(len(g.nodes), unfinished)
	if len(chain) < leastChain {
		chain = nil
	}
	d := drawnGraph{Width: l.Size.X, Height: l.Size.Y, NodeWidth: layered.NodeWidth, NodeHeight: layered.NodeHeight}
	for i, n := range g.nodes {
		d.Nodes = append(d.Nodes, drawnNode{n, l.Nodes[i], n.State == "" && n.Handle() == at, slices.Contains(chain, i)})
	}
	for _, i := range chain {
		d.Chain = append(d.Chain, d.Nodes[i])
	}
	var chained []drawnLine
	drawn := map[[2]layered.Point]bool{} // stretches that lines have in common
	for i, e := range g.edges {
		points, place := l.Lines[i], slices.Index(chain, e.From)
		switch {
		case l.Circle[i]:
			d.Circles++
			d.Lines = append(d.Lines, drawnLine{"circle", pathOf(points)})
		case place >= 0 && place+1 < len(chain) && chain[place+1] == e.To:
			chained = append(chained, drawnLine{"chain", pathOf(points)})
		default:
			for len(points) > 3 && drawn[[2]layered.Point{points[0], points[2]}] {
				points = points[2:]
			}
			d.Lines = append(d.Lines, drawnLine{"", pathOf(points)})
			for ; len(points) > 3; points = points[2:] {
				drawn[[2]layered.Point{points[0], points[2]}] = true
			}
		}
	}
	d.Lines = append(d.Lines, chained...)
	return d
}

// pathOf is a line as SVG draws it: curved between columns, straight through them, and a loop
// where a node waits for itself.
func pathOf(points []layered.Point) string {
	var path strings.Builder
	p := points[0]
	fmt.Fprintf(&path, "M%d %d", p.X, p.Y)
	for i, to := range points[1:] {
		switch bend := p.X + (to.X-p.X)/2; {
		case to == p:
			const across, up = layered.ColumnGap, layered.NodeHeight / 2
			fmt.Fprintf(&path, "c%d %d %d %d 0 0", across, -up, across, up)
		case i%2 == 1:
			fmt.Fprintf(&path, "H%d", to.X)
		default:
			fmt.Fprintf(&path, "C%d %d %d %d %d %d", bend, p.Y, bend, to.Y, to.X, to.Y)
		}
		p = to
	}
	return path.String()
}

// nodeText is how many characters of a title fit into a line of a node.
const nodeText = 28

// Lines are the title in the two lines for which there is room.
func (n drawnNode) Lines() [2]string {
	runes := []rune(words.Cut(n.Title, 2*nodeText))
	if len(runes) <= nodeText {
		return [2]string{string(runes)}
	}
	end := nodeText
	for i := nodeText; i > nodeText/2; i-- {
		if runes[i] == ' ' {
			end = i
			break
		}
	}
	return [2]string{string(runes[:end]), words.Cut(strings.TrimSpace(string(runes[end:])), nodeText)}
}
