// Package layered lays a graph out in layers, from left to right: each node stands to the right of
// all that lead to it, and few lines cross.
//
// It knows nothing about documents, nor about how a graph is drawn. Its invariants: no node overlaps
// another; every line leads to the right, but for those that close a circle; the same graph has the
// same layout; the work is bounded, whatever the graph.
package layered

import "slices"

// The measures of a graph, in pixels at a size of 100 %. Five columns fit into a window of 1,280.
const (
	NodeWidth    = 204
	NodeHeight   = 60
	ColumnGap    = 48
	rowGap       = 12
	graphMargin  = 8
	usualColumns = 5
)

// A Point is a place in a drawing, in pixels.
type Point struct{ X, Y int }

// An Edge leads to what waits from what it waits for, both by their numbers.
type Edge struct{ From, To int }

// A Layout says where the nodes and edges of a graph are.
type Layout struct {
	Size   Point
	layers []int     // of each node, from 0
	Nodes  []Point   // the left upper corner of each
	Lines  [][]Point // of each edge: where it begins, where it enters and leaves each column on its way, where it ends
	Circle []bool    // of each edge: it closes a circle, and leads from right to left
}

// LayOut puts what waits for nothing into the first layer, and everything else to the right of
// all that it waits for; the edges that close a circle are left out for that. Parts of the graph
// that no edge joins stand below and beside each other. No two edges may have the same ends.
func LayOut(nodes int, edges []Edge) Layout {
	l := Layout{Nodes: make([]Point, nodes), Lines: make([][]Point, len(edges))}
	l.layers, l.Circle = layersOf(nodes, edges)
	parts := partsOf(l.layers, edges, l.Circle)
	columns := usualColumns
	for _, w := range parts {
		columns = max(columns, len(w.layers))
	}
	filled := make([]int, columns) // how far down each column is
	for _, w := range parts {
		w.untangle()
		height := w.settle()
		column, top := 0, 0
		for c := range columns - len(w.layers) + 1 {
			if y := slices.Max(filled[c : c+len(w.layers)]); c == 0 || y < top {
				column, top = c, y
			}
		}
		for c := range w.layers {
			filled[column+c] = top + height + 2*rowGap
		}
		l.Size.X = max(l.Size.X, (column+len(w.layers))*(NodeWidth+ColumnGap)-ColumnGap+2*graphMargin)
		l.Size.Y = max(l.Size.Y, top+height+2*graphMargin)
		l.place(w, edges, column, top)
	}
	return l
}

// place takes over a part whose left upper corner is at a column and a height.
func (l *Layout) place(w *layeredGraph, edges []Edge, column, top int) {
	middle := func(v, side int) Point { // of a side of a vertex: 0 is the left one, 1 the right one
		x := (column+w.all[v].layer)*(NodeWidth+ColumnGap) + side*NodeWidth
		return Point{graphMargin + x, graphMargin + top + int(w.all[v].y)}
	}
	for v, n := range w.nodes {
		l.Nodes[n] = middle(v, 0)
		l.Nodes[n].Y -= NodeHeight / 2
	}
	for i, way := range w.ways {
		line := []Point{middle(way[0], 1)}
		for _, v := range way[1 : len(way)-1] {
			line = append(line, middle(v, 0), middle(v, 1))
		}
		if e := edges[i]; e.From == e.To {
			line = append(line, line[0])
		} else if line = append(line, middle(way[len(way)-1], 0)); l.Circle[i] {
			slices.Reverse(line)
		}
		l.Lines[i] = line
	}
}

// layersOf returns the layer of each node, and which edges close a circle.
func layersOf(nodes int, edges []Edge) (layers []int, circle []bool) {
	layers, circle = make([]int, nodes), make([]bool, len(edges))
	into := make([][]int, nodes) // edges, by where they lead
	for i, e := range edges {
		into[e.To] = append(into[e.To], i)
	}
	const entered, left = 1, 2
	state := make([]int, nodes)
	var visit func(int)
	visit = func(n int) {
		state[n] = entered
		for _, i := range into[n] {
			from := edges[i].From
			if state[from] == 0 {
				visit(from)
			}
			if circle[i] = state[from] == entered; !circle[i] {
				layers[n] = max(layers[n], layers[from]+1)
			}
		}
		state[n] = left
	}
	for n := range nodes {
		if state[n] == 0 {
			visit(n)
		}
	}
	return layers, circle
}

// partsOf returns the parts of a graph that no edge joins, in the order of their first nodes.
func partsOf(layers []int, edges []Edge, circle []bool) []*layeredGraph {
	joined := make([]int, len(layers)) // another node of the part, or the node itself
	for n := range joined {
		joined[n] = n
	}
	root := func(n int) int {
		for joined[n] != n {
			joined[n] = joined[joined[n]]
			n = joined[n]
		}
		return n
	}
	for _, e := range edges {
		joined[root(e.To)] = root(e.From)
	}
	var parts []*layeredGraph
	at, vertices := map[int]*layeredGraph{}, make([]int, len(layers))
	for n, layer := range layers {
		w := at[root(n)]
		if w == nil {
			w = &layeredGraph{ways: map[int][]int{}, bends: map[bend]int{}}
			at[root(n)], parts = w, append(parts, w)
		}
		vertices[n], w.nodes = w.add(layer, NodeHeight), append(w.nodes, n)
	}
	for i, e := range edges {
		if circle[i] {
			at[root(e.From)].lead(i, vertices[e.To], vertices[e.From], i)
		} else {
			at[root(e.From)].lead(i, vertices[e.From], vertices[e.To], -1)
		}
	}
	return parts
}

// LongestChain returns the longest chain of nodes of which each waits for the one before it, nil
// where nothing waits. No edges may close a circle.
func LongestChain(nodes int, edges []Edge) []int {
	if len(edges) == 0 {
		return nil
	}
	before, _ := layersOf(nodes, edges)
	last := slices.Index(before, slices.Max(before))
	chain := []int{last}
	for before[last] > 0 {
		last = edges[slices.IndexFunc(edges, func(e Edge) bool {
			return e.To == last && before[e.From] == before[last]-1
		})].From
		chain = append(chain, last)
	}
	slices.Reverse(chain)
	return chain
}
