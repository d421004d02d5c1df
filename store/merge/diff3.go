package merge

// A region is a part of the three texts, as line numbers: from each 0 up to each 1.
type region struct {
	base, ours, theirs [2]int
	kind               regionKind
}

// A regionKind says which sides changed the lines of a region.
type regionKind int

const (
	unchanged regionKind = iota
	byUs
	byThem
	byBoth // which may be the same change
)

// diff3 cuts three texts into regions. Changes of the two sides that overlap or touch are
// one region, as in git.
func diff3(base, ours, theirs []rune) (regions []region) {
	o, t := changes(base, ours), changes(base, theirs)
	var at region // the last one
	for len(o) > 0 || len(t) > 0 {
		start := firstOf(o, t).a0
		if same := start - at.base[1]; same > 0 {
			at = following(at, same, same, same, unchanged)
			regions = append(regions, at)
		}
		end, kind := start, unchanged
		var longer [2]int // by how many lines ours and theirs are longer than the base
		for taken := true; taken; {
			taken = false
			for side, list := range []*[]hunk{&o, &t} {
				if len(*list) == 0 || (*list)[0].a0 > end {
					continue
				}
				h := (*list)[0]
				*list, taken = (*list)[1:], true
				end = max(end, h.a1)
				longer[side] += h.b1 - h.b0 - (h.a1 - h.a0)
				kind |= [...]regionKind{byUs, byThem}[side]
			}
		}
		length := end - start
		at = following(at, length, length+longer[0], length+longer[1], kind)
		regions = append(regions, at)
	}
	if rest := len(base) - at.base[1]; rest > 0 {
		regions = append(regions, following(at, rest, rest, rest, unchanged))
	}
	return regions
}

// firstOf is the change that begins first in the base.
func firstOf(o, t []hunk) hunk {
	if len(t) == 0 || len(o) > 0 && o[0].a0 <= t[0].a0 {
		return o[0]
	}
	return t[0]
}

// following is the region behind r that takes so many lines of each text.
func following(r region, base, ours, theirs int, kind regionKind) region {
	return region{
		base:   [2]int{r.base[1], r.base[1] + base},
		ours:   [2]int{r.ours[1], r.ours[1] + ours},
		theirs: [2]int{r.theirs[1], r.theirs[1] + theirs},
		kind:   kind,
	}
}
