package wagtail

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"issues-index/store/words"
	"issues-index/tools"
)

const (
	// censusRequests bounds the lists that a census reads. A site with more pages than
	// they hold is looked at in places that lie evenly over its tree.
	censusRequests = 25
	// censusStep is how many pages each is asked for, where the site has no maximum.
	censusStep = 200
	// maxCensuses bounds the memory of them.
	maxCensuses = 20
)

// A census is which pages there are: of which types and languages, and at which
// addresses.
type census struct {
	total   int // pages that the site counts
	seen    int // of them that were looked at
	types   map[string]int
	locales map[string]int
	origins map[string]int // of the pages' addresses
	ids     map[int]bool

	until time.Time // it is taken from memory
}

func (c census) complete() bool { return c.seen >= c.total }

// typeNames are the types that were met, in order.
func (c census) typeNames() []string { return slices.Sorted(maps.Keys(c.types)) }

// census counts the pages that a query is about. One that is fresh is taken from
// memory: a call that goes on where another ended needs the same.
func (s *Site) census(ctx context.Context, query url.Values, w *walk) (census, error) {
	key := query.Encode()
	s.mu.Lock()
	kept, ok := s.censuses[key]
	s.mu.Unlock()
	if ok && time.Now().Before(kept.until) {
		return kept, nil
	}
	c, err := s.takeCensus(ctx, query, w)
	if err != nil {
		return census{}, err
	}
	c.until = time.Now().Add(fresh)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.censuses) >= maxCensuses {
		clear(s.censuses)
	}
	s.censuses[key] = c
	return c, nil
}

// takeCensus reads the lists of a census.
func (s *Site) takeCensus(ctx context.Context, query url.Values, w *walk) (census, error) {
	query = maps.Clone(query)
	query.Set("fields", "_,id,type,html_url,locale")
	w.take(1)
	first, err := s.list(ctx, kindPages, query, censusStep, 0)
	if err != nil {
		return census{}, err
	}
	offsets := places(first.total, first.limit)
	for len(offsets) > 0 && !w.take(len(offsets)) {
		offsets = offsets[:len(offsets)/2]
	}
	batches := make([]batch, len(offsets))
	err = each(len(offsets), func(n int) error {
		if w.over() { // the pages read so far are a sample
			return nil
		}
		b, err := s.list(ctx, kindPages, query, first.limit, offsets[n])
		batches[n] = b
		return err
	})
	if err != nil {
		return census{}, err
	}
	c := census{total: first.total, types: map[string]int{}, locales: map[string]int{}, origins: map[string]int{}, ids: map[int]bool{}}
	for _, b := range append(batches, first) {
		s.addTo(&c, b.items)
	}
	return c, nil
}

// places are the offsets of the lists behind the first that are read of a number of
// pages, so many at a time.
func places(total, step int) []int {
	lists := (total + step - 1) / max(step, 1)
	var offsets []int
	for n := 1; n < min(lists, censusRequests); n++ {
		at := n
		if lists > censusRequests {
			at = n * (lists - 1) / (censusRequests - 1)
		}
		offsets = append(offsets, at*step)
	}
	return offsets
}

// addTo counts pages.
func (s *Site) addTo(c *census, pages []item) {
	for _, i := range pages {
		if c.ids[i.ID] { // the site was changed in between
			continue
		}
		c.ids[i.ID] = true
		c.seen++
		tally(c.types, i.typeName(), 1000)
		tally(c.locales, words.Cut(i.text("locale"), 40), 50)
		at := "(none)"
		if u := i.url("html_url", s.base); u != nil {
			at = words.Cut(tools.Line(origin(u)), 120)
		}
		tally(c.origins, at, 50)
	}
}

// tally counts a name, if it is one and there are not too many already.
func tally(numbers map[string]int, name string, most int) {
	if numbers[name] > 0 || name != "" && len(numbers) < most {
		numbers[name]++
	}
}

// counted are names with their numbers, the largest first.
func counted(numbers map[string]int) []string {
	names := slices.SortedFunc(maps.Keys(numbers), func(a, b string) int {
		if numbers[a] != numbers[b] {
			return numbers[b] - numbers[a]
		}
		if a < b {
			return -1
		}
		return 1
	})
	for n, name := range names {
		names[n] = fmt.Sprintf("%s %d", name, numbers[name])
	}
	return names
}
