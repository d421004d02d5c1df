package layered

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// randomGraph is any graph of a few nodes, circles and edges from a node to itself included.
func randomGraph(t *rapid.T) (nodes int, edges []Edge) {
	nodes = rapid.IntRange(1, 30).Draw(t, "nodes")
	one := rapid.Custom(func(t *rapid.T) Edge {
		return Edge{rapid.IntRange(0, nodes-1).Draw(t, "from"), rapid.IntRange(0, nodes-1).Draw(t, "to")}
	})
	return nodes, rapid.SliceOfNDistinct(one, 0, 60, rapid.ID).Draw(t, "edges")
}

func TestALayoutHasRoomForAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes, edges := randomGraph(t)
		l := LayOut(nodes, edges)
		for a, p := range l.Nodes {
			if p.X < 0 || p.Y < 0 || p.X+NodeWidth > l.Size.X || p.Y+NodeHeight > l.Size.Y {
				t.Fatalf("node %d at %v is outside of %v", a, p, l.Size)
			}
			for b, q := range l.Nodes[:a] {
				if p.X < q.X+NodeWidth && q.X < p.X+NodeWidth && p.Y < q.Y+NodeHeight && q.Y < p.Y+NodeHeight {
					t.Fatalf("nodes %d at %v and %d at %v overlap", a, p, b, q)
				}
			}
		}
		for i, points := range l.Lines {
			for n := 1; n+1 < len(points); n += 2 { // through a column
				for a, q := range l.Nodes {
					left, right := min(points[n].X, points[n+1].X), max(points[n].X, points[n+1].X)
					if left < q.X+NodeWidth && q.X < right && points[n].Y > q.Y && points[n].Y < q.Y+NodeHeight {
						t.Fatalf("line %d of %v runs through node %d at %v", i, points, a, q)
					}
				}
			}
		}
	})
}

func TestEveryLineLeadsToTheRightButForThoseThatCloseACircle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes, edges := randomGraph(t)
		l := LayOut(nodes, edges)
		for i, e := range edges {
			from, to := l.Nodes[e.From], l.Nodes[e.To]
			begin, end := Point{from.X + NodeWidth, from.Y + NodeHeight/2}, Point{to.X, to.Y + NodeHeight/2}
			inOrder := func(a, b Point) int { return a.X - b.X }
			switch points := l.Lines[i]; {
			case e.From == e.To:
				end = begin
			case l.Circle[i]:
				begin.X, end.X = from.X, to.X+NodeWidth
				inOrder = func(a, b Point) int { return b.X - a.X }
				fallthrough
			default:
				if !slices.IsSortedFunc(points, inOrder) {
					t.Fatalf("%v, circle %v: %v", e, l.Circle[i], points)
				}
			}
			points := l.Lines[i]
			if points[0] != begin || points[len(points)-1] != end || (l.layers[e.From] >= l.layers[e.To]) != l.Circle[i] {
				t.Fatalf("%v leads from %v to %v by %v, circle %v", e, begin, end, points, l.Circle[i])
			}
		}
	})
}

func TestOrderingLayersMakesNoMoreLinesCross(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes, edges := randomGraph(t)
		layers, circle := layersOf(nodes, edges)
		for _, w := range partsOf(layers, edges, circle) {
			given := w.crossings()
			w.untangle()
			for _, layer := range w.layers {
				for place, v := range layer {
					w.all[v].place = place
				}
			}
			if n := w.crossings(); n > given {
				t.Fatalf("%d lines cross, %d in the order that was given", n, given)
			}
		}
	})
}

func TestALayoutIsTheSameEachTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes, edges := randomGraph(t)
		if a, b := LayOut(nodes, edges), LayOut(nodes, edges); !reflect.DeepEqual(a, b) {
			t.Fatalf("%v\n%v", a, b)
		}
	})
}

func TestTheLongestChain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes, all := randomGraph(t)
		edges := slices.DeleteFunc(all, func(e Edge) bool { return e.From >= e.To })
		var longest func(to int) int
		longest = func(to int) int {
			n := 1
			for _, e := range edges {
				if e.To == to {
					n = max(n, longest(e.From)+1)
				}
			}
			return n
		}
		want := 0
		for n := range nodes {
			want = max(want, longest(n))
		}
		chain := LongestChain(nodes, edges)
		for i := 1; i < len(chain); i++ {
			if !slices.Contains(edges, Edge{chain[i-1], chain[i]}) {
				t.Fatalf("%v of %v", chain, edges)
			}
		}
		if len(chain) != want && len(edges) > 0 {
			t.Fatalf("%v, and there are chains of %d", chain, want)
		}
	})
}

// However many lines there are, few points bend them, so that the work is bounded.
func TestTheLargestLayoutsHaveFewBends(t *testing.T) {
	const mostNodes, mostArrows = 150, 30
	for name, from := range map[string]func(n, arrow int) int{
		"each waits for others":           func(n, arrow int) int { return mostNodes + n*mostArrows + arrow },
		"each waits for all before it":    func(n, arrow int) int { return n - 1 - arrow },
		"each waits for some far from it": func(n, arrow int) int { return (n*7 + arrow*11) % max(n, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			known, nodes := map[Edge]bool{}, mostNodes
			var edges []Edge
			add := func(e Edge) {
				if e.From >= 0 && e.From != e.To && !known[e] {
					known[e], edges, nodes = true, append(edges, e), max(nodes, e.From+1)
				}
			}
			for n := range mostNodes {
				add(Edge{n - 1, n})
				for arrow := range mostArrows {
					add(Edge{from(n, arrow), n})
				}
			}
			bends := 0
			for _, line := range LayOut(nodes, edges).Lines {
				bends = max(bends, len(line))
			}
			layers, circle := layersOf(nodes, edges)
			for _, part := range partsOf(layers, edges, circle) {
				if len(part.all) > nodes+mostBends {
					t.Errorf("%d edges have %d vertices", len(edges), len(part.all))
				}
			}
			if bends > 2*nodes {
				t.Errorf("a line has %d points", bends)
			}
		})
	}
}
