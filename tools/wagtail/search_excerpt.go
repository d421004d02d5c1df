package wagtail

import (
	"context"
	"strings"

	"golang.org/x/sync/errgroup"
)

// maxExcerpts bounds the pages of one search that are read for the words around.
const maxExcerpts = 10

// excerpts are the lines of pages that have the most of some words, by the pages' ids.
// A page that cannot be read, or that has the words in no field of its own, has none.
func (s *Site) excerpts(ctx context.Context, pages []item, words, site string) map[int]string {
	pages = pages[:min(maxExcerpts, len(pages))]
	texts := make([]string, len(pages))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for n, page := range pages {
		group.Go(func() error {
			query := siteQuery(site, storedText, storedForm)
			var i item
			if s.get(ctx, pagePath(page.ID), query, &i) == nil && i.ID == page.ID {
				texts[n] = i.excerpt(words)
			}
			return nil
		})
	}
	_ = group.Wait() // a search is answered without them, too
	found := make(map[int]string, len(pages))
	for n, page := range pages {
		found[page.ID] = texts[n]
	}
	return found
}

// excerpt is the line of a page that has the most of some words, "" when none has one.
// The title, which a row shows, is none.
func (i item) excerpt(words string) string {
	var needles []needle
	for word := range strings.FieldsSeq(words) {
		needles = append(needles, needleOf(word))
	}
	best, most := "", 0
	for _, line := range i.pageLines() {
		found, at := 0, -1
		for _, n := range needles {
			if where := n.in(line.Text); where >= 0 {
				if found++; at < 0 {
					at = where
				}
			}
		}
		if found > most && line.field != "title" {
			best, most = line.field+": "+around(line.Text, at), found
		}
	}
	return best
}
