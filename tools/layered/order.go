package layered

import (
	"cmp"
	"math"
	"slices"
)

// mostBends bounds the points at which the long lines of a part of a graph are led around nodes.
// Further lines run straight.
const mostBends = 2000

// A vertex is a node, or a point at which lines are led through a layer.
type vertex struct {
	layer, place  int     // place in its layer, from the top
	height, y     float64 // y of its middle
	before, after []int   // what it is joined with in the layers next to its own
}

// A layeredGraph is a connected graph whose lines lead from one layer to the next.
type layeredGraph struct {
	nodes  []int // their numbers; they are the first vertices
	all    []vertex
	layers [][]int       // vertices from top to bottom
	ways   map[int][]int // the vertices of each edge from left to right, by its number
	bends  map[bend]int  // vertices
}

// A bend is where lines that begin at one vertex pass a layer. circle is the edge that closes a
// circle and has its own, -1 for all others.
type bend struct{ from, layer, circle int }

func (w *layeredGraph) add(layer int, height float64) int {
	for len(w.layers) <= layer {
		w.layers = append(w.layers, nil)
	}
	v := len(w.all)
	w.all = append(w.all, vertex{layer: layer, place: len(w.layers[layer]), height: height})
	w.layers[layer] = append(w.layers[layer], v)
	return v
}

// lead leads an edge through the layers between two nodes. Edges that begin at one node have one
// way as far as they go together, which makes fewer lines of many.
func (w *layeredGraph) lead(i, from, to, circle int) {
	way, key := []int{from}, bend{from, w.all[from].layer + 1, circle}
	join := func(v int) {
		last := &w.all[way[len(way)-1]]
		last.after, w.all[v].before = append(last.after, v), append(w.all[v].before, way[len(way)-1])
	}
	if len(w.bends)+w.all[to].layer-key.layer <= mostBends {
		for ; key.layer < w.all[to].layer; key.layer++ {
			v, found := w.bends[key]
			if !found {
				v = w.add(key.layer, 0)
				w.bends[key] = v
				join(v)
			}
			way = append(way, v)
		}
	}
	if key.layer == w.all[to].layer {
		join(to)
	}
	w.ways[i] = append(way, to)
}

// untangle orders the layers so that fewer lines cross: each vertex goes to the middle of those
// that it is joined with in the layer before, then in the layer after, and so on.
func (w *layeredGraph) untangle() {
	const sweeps = 16
	least, best := math.MaxInt, make([][]int, len(w.layers))
	for sweep := 0; sweep <= sweeps && least > 0; sweep++ {
		if n := w.crossings(); n < least {
			least = n
			for i, layer := range w.layers {
				best[i] = slices.Clone(layer)
			}
		}
		w.sweep(sweep%2 == 0)
	}
	w.layers = best
}

// eachLayer calls a function with each layer, from the first one to the last one or back, and with
// what a vertex is joined with in the layer that came before.
func (w *layeredGraph) eachLayer(forward bool, do func(layer []int, next func(v int) []int)) {
	for i := range w.layers {
		if forward {
			do(w.layers[i], func(v int) []int { return w.all[v].before })
		} else {
			do(w.layers[len(w.layers)-1-i], func(v int) []int { return w.all[v].after })
		}
	}
}

// mean is the mean of what vertices have.
func mean(vertices []int, of func(v int) float64) float64 {
	sum := 0.0
	for _, v := range vertices {
		sum += of(v)
	}
	return sum / float64(len(vertices))
}

// sweep orders each layer by the one that came before. A vertex that is joined with none there
// keeps its place.
func (w *layeredGraph) sweep(forward bool) {
	w.eachLayer(forward, func(layer []int, next func(int) []int) {
		var moving, places []int
		middle := map[int]float64{}
		for place, v := range layer {
			if len(next(v)) > 0 {
				moving, places = append(moving, v), append(places, place)
				middle[v] = mean(next(v), func(n int) float64 { return float64(w.all[n].place) })
			}
		}
		slices.SortStableFunc(moving, func(a, b int) int { return cmp.Compare(middle[a], middle[b]) })
		for i, place := range places {
			layer[place], w.all[moving[i]].place = moving[i], place
		}
	})
}

// crossings counts the pairs of lines that cross between two layers.
func (w *layeredGraph) crossings() (total int) {
	for _, layer := range w.layers {
		var seen []int // places where lines end, sorted
		for _, v := range layer {
			var ends []int
			for _, to := range w.all[v].after {
				at, _ := slices.BinarySearch(seen, w.all[to].place+1)
				total, ends = total+len(seen)-at, append(ends, w.all[to].place)
			}
			for _, end := range ends {
				at, _ := slices.BinarySearch(seen, end)
				seen = slices.Insert(seen, at, end)
			}
		}
	}
	return total
}

// settle puts each vertex near those that it is joined with, and returns the height of all.
func (w *layeredGraph) settle() (height int) {
	const rounds = 8
	for round := range rounds {
		w.eachLayer(round%2 == 0, func(layer []int, next func(int) []int) {
			w.spread(layer, func(v int) float64 {
				if len(next(v)) == 0 {
					return w.all[v].y
				}
				return mean(next(v), func(n int) float64 { return w.all[n].y })
			})
		})
	}
	top, bottom := math.Inf(1), math.Inf(-1)
	for _, v := range w.all {
		top, bottom = min(top, v.y-v.height/2), max(bottom, v.y+v.height/2)
	}
	for v := range w.all {
		w.all[v].y -= top
	}
	return int(bottom - top)
}

// spread puts the vertices of a layer as near as there is room to where they want to be, in their
// order: those that would overlap stand close, around the mean of what they want.
func (w *layeredGraph) spread(layer []int, want func(v int) float64) {
	type block struct {
		from, n int
		y       float64 // of the layer's first vertex, if it stood as close to these as they do
	}
	var blocks []block
	offset := make([]float64, len(layer)) // from the first vertex, when all stand close
	for i, v := range layer {
		if i > 0 {
			offset[i] = offset[i-1] + (w.all[layer[i-1]].height+w.all[v].height)/2 + rowGap
		}
		b := block{i, 1, want(v) - offset[i]}
		for len(blocks) > 0 && blocks[len(blocks)-1].y >= b.y {
			a := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			b = block{a.from, a.n + b.n, (a.y*float64(a.n) + b.y*float64(b.n)) / float64(a.n+b.n)}
		}
		blocks = append(blocks, b)
	}
	for _, b := range blocks {
		for i := b.from; i < b.from+b.n; i++ {
			w.all[layer[i]].y = b.y + offset[i]
		}
	}
}
