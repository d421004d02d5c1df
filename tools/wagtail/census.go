package wagtail

import (
	"cmp"
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
	// censusRequests is the most lists that a census reads. On a larger site they are
	// spread evenly over its tree.
	censusRequests = 25
	// censusStep is how many pages each asks for, on a site without a maximum.
	censusStep = 200
	// maxCensuses is how many are remembered.
	maxCensuses = 20
)

// A census counts the pages of a site by type, locale and origin.
type census struct {
	total   int // pages that the site counts
	seen    int // pages that were read
	types   map[string]int
	locales map[string]int
	origins map[string]int // of the pages' addresses
	ids     map[int]bool

	until time.Time // when it expires
}

func (c census) complete() bool { return c.seen >= c.total }

// typeNames returns the types in order.
func (c census) typeNames() []string { return slices.Sorted(maps.Keys(c.types)) }

// census counts the pages of a query. A recent census is reused: calls that continue
// another one need the same.
func (s *Site) census(ctx context.Context, query url.Values, w *requestBudget) (census, error) {
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
func (s *Site) takeCensus(ctx context.Context, query url.Values, w *requestBudget) (census, error) {
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
	batches := make([]objectBatch, len(offsets))
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

// places returns the offsets of the lists to read after the first, of a number of
// pages, step at a time.
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

// addTo adds pages to a census.
func (s *Site) addTo(c *census, pages []apiObject) {
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

// tally counts a name, unless it is empty or a new one over the maximum.
func tally(numbers map[string]int, name string, most int) {
	if numbers[name] > 0 || name != "" && len(numbers) < most {
		numbers[name]++
	}
}

// counted returns names with their numbers, the largest first.
func counted(numbers map[string]int) []string {
	names := slices.SortedFunc(maps.Keys(numbers), func(a, b string) int {
		return cmp.Or(numbers[b]-numbers[a], cmp.Compare(a, b))
	})
	for n, name := range names {
		names[n] = fmt.Sprintf("%s %d", name, numbers[name])
	}
	return names
}
