package web

import (
	"cmp"
	"fmt"
	"strings"

	"issues-index/index"
	"issues-index/store/words"
)

// mostNodes is how many waiting documents the graph shows, and mostArrows how many lead to each.
const (
	mostNodes  = 150
	mostArrows = 30
)

// A graphPage shows what waits for what.
type graphPage struct {
	Under   string // the id of the document below which the documents are, "" for all
	Total   int    // documents that wait
	Shown   int
	Graph   drawnGraph
	Waiting []waitingRow
}

// A waitingRow says the same as a node and its arrows, for those who do not see them.
type waitingRow struct {
	documentRow
	For  []drawnNode
	More int // of what it waits for
}

// arrows are those of what a document waits for that are drawn.
func arrows(row index.Row) []string { return row.WaitsFor[:min(len(row.WaitsFor), mostArrows)] }

// graph draws the unfinished documents that wait, and what they wait for.
func graph(r *pageRequest) (pageContent, error) {
	page := graphPage{Under: strings.TrimSpace(r.URL.Query().Get("under"))}
	content := pageContent{Template: "graph", Title: "Graph", Here: "/graph"}
	f := r.filter("sort priority desc")
	f.Blocked, f.Under = true, page.Under
	found, err := r.ix.Find(r.Context(), index.Query{Filter: f, Waits: true, Limit: mostNodes})
	if err != nil {
		return content, err
	}
	page.Total, page.Shown = found.Total, len(found.Rows)
	l := r.ix.Workspace().Layout
	nodes := map[string]*drawnNode{} // by what WaitsFor of a row says
	var order []string
	add := func(id string, n drawnNode) {
		if nodes[id] == nil {
			nodes[id], order = &n, append(order, id)
		}
	}
	for _, row := range found.Rows {
		add(row.ID, drawnNode{ID: row.ID, Title: row.Title, Link: documentLink(row), Category: categoryOf(l, row.Status)})
	}
	var others []string
	for _, row := range found.Rows {
		for _, id := range arrows(row) {
			if nodes[id] == nil && !strings.Contains(id, " ") {
				others = append(others, id)
			}
		}
	}
	looked, err := r.ix.GetBatch(r.Context(), others)
	if err != nil {
		return content, err
	}
	for i, one := range looked {
		if one.Err == nil {
			add(others[i], drawnNode{ID: one.Row.ID, Title: one.Row.Title, Link: documentLink(one.Row),
				Category: categoryOf(l, one.Row.Status)})
		}
	}
	var edges []graphEdge
	for _, row := range found.Rows {
		drawn := arrows(row)
		waiting := waitingRow{documentRow: rowsOf(l, []index.Row{row})[0], More: len(row.WaitsFor) - len(drawn)}
		for _, id := range drawn {
			state, written, missing := strings.Cut(id, " ")
			add(id, drawnNode{ID: cmp.Or(written, id), Title: "no such document", Missing: true, Category: "missing"})
			if missing {
				nodes[id].Title = state
			}
			edges = append(edges, graphEdge{from: row.ID, to: id})
			waiting.For = append(waiting.For, *nodes[id])
		}
		page.Waiting = append(page.Waiting, waiting)
	}
	page.Graph = draw(order, nodes, edges)
	content.Data = page
	return content, nil
}

// The measures of a graph, in pixels.
const (
	nodeWidth, nodeHeight = 190, 44
	columnGap, rowGap     = 70, 16
	graphMargin           = 16
	// nodeText is how many characters of a title fit into a node.
	nodeText = 22
)

// A drawnNode is a document in a graph, or an id that no document has.
type drawnNode struct {
	ID, Title, Link string
	Category        string
	Missing         bool

	X, Y  int
	layer int
}

// Short is the title as far as there is room for it.
func (n drawnNode) Short() string { return words.Cut(n.Title, nodeText) }

// TextY is where the lines of text of a node are.
func (n drawnNode) TextY() [2]int { return [2]int{n.Y + 18, n.Y + 35} }

// TextX is where they begin.
func (n drawnNode) TextX() int { return n.X + 12 }

type graphEdge struct{ from, to string }

// A drawnGraph is a graph with the place of each node and line.
type drawnGraph struct {
	Width, Height         int
	NodeWidth, NodeHeight int
	Nodes                 []drawnNode
	Lines                 []graphLine
	Circles               int // lines that close a circle
}

// A graphLine is the arrow from what is waited for to what waits.
type graphLine struct {
	X1, Y1, X2, Y2 int
	Circle         bool
}

// Path is the line as SVG draws it: from the right side of a node to the left side of
// another, and for one that closes a circle below both.
func (l graphLine) Path() string {
	const bend = columnGap / 2
	if l.Circle {
		return fmt.Sprintf("M%d %d C%d %d %d %d %d %d", l.X1, l.Y1, l.X1, l.Y1+bend, l.X2, l.Y2+bend, l.X2, l.Y2)
	}
	return fmt.Sprintf("M%d %d C%d %d %d %d %d %d", l.X1, l.Y1, l.X1+bend, l.Y1, l.X2-bend, l.Y2, l.X2, l.Y2)
}

// draw puts what waits for nothing into the first layer, and everything else to the right of
// all that it waits for. Where documents wait for each other, the links that close a circle
// are left out for that, and drawn as such.
func draw(order []string, nodes map[string]*drawnNode, edges []graphEdge) drawnGraph {
	waits := map[string][]string{}
	for _, e := range edges {
		waits[e.from] = append(waits[e.from], e.to)
	}
	closing := map[graphEdge]bool{}
	const entered, left = 1, 2
	state := map[string]int{}
	type visit struct {
		id   string
		next int
	}
	for _, root := range order {
		for stack := []visit{{id: root}}; len(stack) > 0; {
			v := &stack[len(stack)-1]
			if v.next == 0 && state[v.id] != 0 { // reached twice before it was its turn
				stack = stack[:len(stack)-1]
				continue
			}
			state[v.id] = entered
			if v.next < len(waits[v.id]) {
				to := waits[v.id][v.next]
				v.next++
				switch state[to] {
				case 0:
					stack = append(stack, visit{id: to})
				case entered:
					closing[graphEdge{v.id, to}] = true
				}
				continue
			}
			for _, to := range waits[v.id] {
				if !closing[graphEdge{v.id, to}] {
					nodes[v.id].layer = max(nodes[v.id].layer, nodes[to].layer+1)
				}
			}
			state[v.id] = left
			stack = stack[:len(stack)-1]
		}
	}
	g := drawnGraph{NodeWidth: nodeWidth, NodeHeight: nodeHeight}
	rows := map[int]int{} // in a layer
	for _, id := range order {
		n := nodes[id]
		n.X = graphMargin + n.layer*(nodeWidth+columnGap)
		n.Y = graphMargin + rows[n.layer]*(nodeHeight+rowGap)
		rows[n.layer]++
		g.Width, g.Height = max(g.Width, n.X+nodeWidth+graphMargin), max(g.Height, n.Y+nodeHeight+graphMargin)
		g.Nodes = append(g.Nodes, *n)
	}
	for _, e := range edges {
		from, to := nodes[e.to], nodes[e.from] // the arrow leads to what waits
		line := graphLine{X1: from.X + nodeWidth, Y1: from.Y + nodeHeight/2, X2: to.X, Y2: to.Y + nodeHeight/2}
		if closing[e] {
			line = graphLine{from.X + nodeWidth/2, from.Y + nodeHeight, to.X + nodeWidth/2, to.Y + nodeHeight, true}
			g.Circles++
			g.Height = max(g.Height, line.Y1+columnGap/2, line.Y2+columnGap/2)
		}
		g.Lines = append(g.Lines, line)
	}
	return g
}
