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
	var at region // its ends are where the last region ended
	for len(o) > 0 || len(t) > 0 {
		next := region{}
		first := firstOf(o, t)
		start, end := first.a0, first.a1
		// The lines before it are the same in all.
		same := start - at.base[1]
		if same > 0 {
			at = following(at, same, same, same, unchanged)
			regions = append(regions, at)
		}
		oursGrows, theirsGrows := 0, 0
		for {
			switch {
			case len(o) > 0 && o[0].a0 <= end:
				end = max(end, o[0].a1)
				oursGrows += o[0].b1 - o[0].b0 - (o[0].a1 - o[0].a0)
				next.kind |= byUs
				o = o[1:]
				continue
			case len(t) > 0 && t[0].a0 <= end:
				end = max(end, t[0].a1)
				theirsGrows += t[0].b1 - t[0].b0 - (t[0].a1 - t[0].a0)
				next.kind |= byThem
				t = t[1:]
				continue
			}
			break
		}
		length := end - start
		at = following(at, length, length+oursGrows, length+theirsGrows, next.kind)
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
