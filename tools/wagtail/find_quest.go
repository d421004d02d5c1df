package wagtail

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"issues-index/tools"
	"issues-index/tools/wagtail/content"
)

// maxHits bounds the places of one page that an answer shows.
const maxHits = 3

// A quest is what a call looks for.
type quest interface {
	// prepare asks the site what is to be known before pages are looked at.
	prepare(ctx context.Context, pages []item)
	// hits are the first places of a page, and the number of the others. ok is false
	// when what is to be known is not: going on begins with that page. Of the first
	// page of a call it is not, so that each call gets on.
	hits(i item, first bool) (hits []hit, more int, ok bool)
	// found says of so many pages that they have it.
	found(pages int) string
	// notes are what else to say of so many pages that have it.
	notes(pages int) []string
}

// collect makes hits of the places of a page, the same line of a field once.
func collect(i item, in func(fieldLine) (at int, about string)) (hits []hit, more int) {
	seen := map[hit]bool{}
	for _, line := range i.pageLines() {
		at, about := in(line)
		if at < 0 {
			continue
		}
		h := hit{line.field, around(line.Text, at) + about}
		switch {
		case seen[h]:
		case len(hits) == maxHits:
			more++
		default:
			hits = append(hits, h)
		}
		seen[h] = true
	}
	return hits, more
}

// pagesThat is the beginning of a sentence on a number of pages.
func pagesThat(pages int, one, several string) string {
	switch pages {
	case 0:
		return "No page " + one
	case 1:
		return "1 page " + one
	}
	return fmt.Sprintf("%d pages %s", pages, several)
}

// A textQuest looks for a text.
type textQuest struct {
	needle needle
	given  string
}

func (q textQuest) prepare(context.Context, []item) {}

func (q textQuest) hits(i item, _ bool) (hits []hit, more int, ok bool) {
	hits, more = collect(i, func(line fieldLine) (int, string) { return q.needle.in(line.Text), "" })
	return hits, more, true
}

func (q textQuest) found(pages int) string {
	return pagesThat(pages, "has", "have") + " " + tools.Quote(q.given)
}

func (q textQuest) notes(int) []string { return nil }

// A linkQuest looks for links to one destination.
type linkQuest struct{ to destination }

func (q linkQuest) prepare(context.Context, []item) {}

func (q linkQuest) hits(i item, _ bool) (hits []hit, more int, ok bool) {
	hits, more = collect(i, func(line fieldLine) (int, string) {
		for _, link := range line.Links {
			if q.to.leads(link.To) {
				return link.At, ""
			}
		}
		return -1, ""
	})
	return hits, more, true
}

func (q linkQuest) found(pages int) string {
	return pagesThat(pages, "links", "link") + " to " + q.to.name
}

func (q linkQuest) notes(int) []string {
	if q.to.gone {
		return []string{"The site has no such object (any more), or it is a draft or private: these links are broken."}
	}
	return nil
}

// A brokenQuest looks for links to what the site does not have.
type brokenQuest struct {
	site   *Site
	within string // the other site whose pages are looked at, "" for the configured one
	walk   *walk
	states map[content.Ref]state
	unsure int // references that could not be looked up
}

// A state is whether what a reference is to is there.
type state int

const (
	there state = iota + 1
	missing
	unknown
)

func newBrokenQuest(s *Site, within string, w *walk, c census) *brokenQuest {
	q := &brokenQuest{site: s, within: within, walk: w, states: map[content.Ref]state{}}
	for id := range c.ids {
		q.states[content.Ref{Kind: content.KindPage, ID: id}] = there
	}
	return q
}

// refsOf are the references in the content of a page.
func refsOf(i item) []content.Ref {
	var refs []content.Ref
	for _, line := range i.pageLines() {
		for _, link := range line.Links {
			if ref, ok := refOf(link.To); ok {
				refs = append(refs, ref)
			}
		}
	}
	return refs
}

// refOf reads the address of a reference.
func refOf(to string) (content.Ref, bool) {
	kind, number, ok := strings.Cut(strings.TrimPrefix(to, "wagtail:"), "/")
	id, err := strconv.Atoi(number)
	if !ok || err != nil || id < 1 || id > maxID || !strings.HasPrefix(to, "wagtail:") {
		return content.Ref{}, false
	}
	return content.Ref{Kind: kind, ID: id}, kind == content.KindPage || kind == content.KindImage || kind == content.KindDocument
}

// prepare looks up what the pages refer to, as far as the call may ask.
func (q *brokenQuest) prepare(ctx context.Context, pages []item) {
	var ask []content.Ref
	for _, i := range pages {
		for _, ref := range distinct(refsOf(i)) {
			if q.states[ref] == 0 && q.walk.take(1) {
				q.states[ref] = unknown
				ask = append(ask, ref)
			}
		}
	}
	states := make([]state, len(ask))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for n, ref := range ask {
		group.Go(func() error {
			switch _, err := q.site.referred(ctx, q.within, ref); {
			case err == nil:
				states[n] = there
			case absent(err):
				states[n] = missing
			default:
				states[n] = unknown
			}
			return nil
		})
	}
	_ = group.Wait() // each keeps what it found
	for n, ref := range ask {
		if q.states[ref] = states[n]; states[n] == unknown {
			q.unsure++
		}
	}
}

func (q *brokenQuest) hits(i item, first bool) (hits []hit, more int, ok bool) {
	for _, ref := range refsOf(i) {
		if q.states[ref] != 0 {
			continue
		}
		if !first {
			return nil, 0, false
		}
		q.states[ref] = unknown
		q.unsure++
	}
	hits, more = collect(i, func(line fieldLine) (int, string) {
		at, about := -1, ""
		for _, link := range line.Links {
			ref, ok := refOf(link.To)
			if !ok || q.states[ref] != missing {
				continue
			}
			if at < 0 {
				at = link.At
			}
			if name := fmt.Sprintf(" → %s %d", ref.Kind, ref.ID); !strings.Contains(about+" ", name+" ") {
				about += name
			}
		}
		return at, about
	})
	return hits, more, true
}

func (q *brokenQuest) found(pages int) string {
	return pagesThat(pages, "has broken links", "have broken links")
}

func (q *brokenQuest) notes(pages int) []string {
	var notes []string
	if pages > 0 {
		notes = append(notes, "What → names was deleted, or is a draft, private or of another site.")
	}
	notes = append(notes, "Links that are written as addresses were not tried.")
	if q.unsure > 0 {
		notes = append(notes, fmt.Sprintf("%d links could not be looked up.", q.unsure))
	}
	return notes
}
