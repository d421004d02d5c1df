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
	// censusLists is how many lists a census begins with, spread evenly over the tree: nearly
	// always they have every type.
	censusLists = 25
	// censusStep is how many pages each asks for, on a site without a maximum.
	censusStep = 200
	// maxCensuses is how many are remembered.
	maxCensuses = 20
)

// A census knows the types, the locales and the addresses of the pages of a query, from lists that
// were read one after the other. It is not changed any more once it is remembered.
type census struct {
	total  int   // pages that the site counts
	step   int   // pages of a list
	unread []int // offsets of lists
	pages  map[int]pageFacts
	order  []string // of the types, as they were met: more lists only add to its end

	until time.Time // when it expires
}

// A pageFacts is what a census knows of a page.
type pageFacts struct{ pageType, locale, origin string }

// complete reports whether every page was read, so that the counts are exact.
func (c census) complete() bool { return len(c.unread) == 0 }

// census returns the census of a query, with its first lists read. A recent one is used again:
// calls that continue another one need the same.
func (s *Site) census(ctx context.Context, query url.Values, w *requestBudget) (census, error) {
	s.mu.Lock()
	c, known := s.censuses[query.Encode()]
	s.mu.Unlock()
	if known && time.Now().Before(c.until) {
		return c, nil
	}
	w.take(1)
	first, err := s.list(ctx, kindPages, censusQuery(query), censusStep, 0)
	if err != nil {
		return census{}, err
	}
	c = census{total: first.total, step: max(first.limit, 1)}
	lists := (c.total + c.step - 1) / c.step
	apart := (lists + censusLists - 1) / censusLists
	for from := range apart {
		for n := from; n < lists; n += apart {
			c.unread = append(c.unread, n*c.step)
		}
	}
	c.unread = c.unread[min(1, lists):] // the first was read
	return s.readOn(ctx, query, s.with(c, first), w, censusLists-1)
}

func censusQuery(query url.Values) url.Values {
	query = maps.Clone(query)
	query.Set("fields", "_,id,type,html_url,locale")
	return query
}

// readOn reads at most so many further lists of a census, as the call may, and remembers it.
func (s *Site) readOn(ctx context.Context, query url.Values, c census, w *requestBudget, lists int) (census, error) {
	lists = min(lists, len(c.unread), w.left)
	if !w.take(lists) {
		lists = 0
	}
	batches := make([]objectBatch, lists)
	err := each(lists, func(n int) (err error) {
		if !w.over() {
			batches[n], err = s.list(ctx, kindPages, censusQuery(query), c.step, c.unread[n])
		}
		return err
	})
	if err != nil {
		return census{}, err
	}
	left := slices.Clone(c.unread[lists:])
	for n, b := range batches {
		if b.limit == 0 { // there was no time for it
			left = append(left, c.unread[n])
		}
	}
	c.unread = left
	c = s.with(c, batches...)
	c.until = time.Now().Add(fresh)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.censuses) >= maxCensuses {
		clear(s.censuses)
	}
	s.censuses[query.Encode()] = c
	return c, nil
}

// with returns a census with the pages of further lists.
func (s *Site) with(c census, lists ...objectBatch) census {
	pages := map[int]pageFacts{}
	maps.Copy(pages, c.pages)
	c.pages, c.order = pages, slices.Clone(c.order)
	for _, b := range lists {
		for _, i := range b.items {
			facts := pageFacts{i.typeName(), words.Cut(i.text("locale"), 40), "(none)"}
			if u := i.url("html_url", s.base); u != nil {
				facts.origin = words.Cut(tools.Line(origin(u)), 120)
			}
			c.pages[i.ID] = facts
			if !slices.Contains(c.order, facts.pageType) {
				c.order = append(c.order, facts.pageType)
			}
		}
	}
	return c
}

// counts returns how many pages have each of the facts of one kind.
func (c census) counts(of func(pageFacts) string) map[string]int {
	counts := map[string]int{}
	for _, p := range c.pages {
		if name := of(p); name != "" {
			counts[name]++
		}
	}
	return counts
}

func typeOf(p pageFacts) string   { return p.pageType }
func localeOf(p pageFacts) string { return p.locale }
func originOf(p pageFacts) string { return p.origin }

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
