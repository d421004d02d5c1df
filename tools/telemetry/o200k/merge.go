package o200k

import "container/heap"

// merge returns how many tokens a piece comes to.
func (v *vocabulary) merge(piece string) int {
	if _, ok := v.rank(piece); ok {
		return 1
	}
	// ends[i] is where the part that starts at i ends, before is where the one in
	// front of it starts, and of what is no part's start any more ends is 0.
	size := len(piece)
	ends, before := make([]int, size+1), make([]int, size+1)
	for i := range size {
		ends[i], before[i+1] = i+1, i
	}
	var pairs pairs
	add := func(start int) {
		if middle := ends[start]; middle < size {
			if rank, ok := v.rank(piece[start:ends[middle]]); ok {
				heap.Push(&pairs, pair{rank, start, ends[middle]})
			}
		}
	}
	for i := range size {
		add(i)
	}
	parts := size
	for len(pairs) > 0 {
		p := heap.Pop(&pairs).(pair) //nolint:errcheck // there is nothing else in it
		middle := ends[p.start]
		if middle == 0 || middle == size || ends[middle] != p.end {
			continue // one of the two is merged with another
		}
		ends[p.start], ends[middle] = p.end, 0
		before[p.end] = p.start
		parts--
		add(p.start)
		if p.start > 0 {
			add(before[p.start])
		}
	}
	return parts
}

// A pair is two parts, side by side, that are a token together.
type pair struct{ rank, start, end int }

// pairs are a heap: the lowest rank comes first, and of one rank the first place.
type pairs []pair

func (p pairs) Len() int      { return len(p) }
func (p pairs) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p pairs) Less(i, j int) bool {
	return p[i].rank < p[j].rank || p[i].rank == p[j].rank && p[i].start < p[j].start
}
func (p *pairs) Push(x any) { *p = append(*p, x.(pair)) } //nolint:errcheck // likewise
func (p *pairs) Pop() any {
	last := len(*p) - 1
	x := (*p)[last]
	*p = (*p)[:last]
	return x
}
