package wagtail

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/wagtail/content"
)

// maxHits is the most matches of one page that an answer shows.
const maxHits = 3

// A findTask is what a call looks for.
type findTask struct {
	// match returns where in a line it is, -1 where it is not, and what to say of it.
	match func(line fieldLine) (at int, about string)
	// found says of a number of pages that they have it.
	found func(pages int) string
	// notes says more about the answer; nil for nothing.
	notes func(pages int) []string
	// prepare asks the site what match needs to know of a page, and reports whether it could. It
	// does what it can for the first page of a call, so that each call gets on. nil for nothing.
	prepare func(ctx context.Context, i apiObject, first bool) bool
}

// collect returns the first matches of a page, equal ones once, and the number of the
// others.
func collect(i apiObject, in func(fieldLine) (at int, about string)) (hits []pageMatch, more int) {
	seen := map[pageMatch]bool{}
	for _, line := range i.pageLines() {
		at, about := in(line)
		if at < 0 {
			continue
		}
		h := pageMatch{line.field, around(line.Text, at) + about}
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

// pagesThat begins a sentence about a number of pages.
func pagesThat(pages int, one, several string) string {
	switch pages {
	case 0:
		return "No page " + one
	case 1:
		return "1 page " + one
	}
	return fmt.Sprintf("%d pages %s", pages, several)
}

// textTask looks for a text.
func textTask(given string) findTask {
	wanted := string(folded(given))
	return findTask{
		match: func(line fieldLine) (int, string) { return placeOf(line.Text, wanted), "" },
		found: func(pages int) string { return pagesThat(pages, "has", "have") + " " + tools.Quote(given) },
	}
}

// linkTask looks for links to one destination.
func linkTask(to destination) findTask {
	return findTask{
		match: func(line fieldLine) (int, string) {
			for _, link := range line.Links {
				if to.leads(link.To) {
					return line.place(link), ""
				}
			}
			return -1, ""
		},
		found: func(pages int) string { return pagesThat(pages, "links", "link") + " to " + to.name },
		notes: func(int) []string {
			if to.gone {
				return []string{"The site has no such object (any more), or it is a draft or private: these links are broken."}
			}
			return nil
		},
	}
}

// brokenLinks are the states of the links of the pages that a call looks at.
type brokenLinks struct {
	site   *Site
	within string // the other site whose pages are looked at, "" for the configured one
	walk   *requestBudget
	states map[content.Ref]linkState // of those that are known
	failed int                       // links that could not be looked up
}

// brokenLinkTask looks for links to objects that the site does not have.
func brokenLinkTask(s *Site, within string, w *requestBudget, c census) findTask {
	b := &brokenLinks{site: s, within: within, walk: w, states: map[content.Ref]linkState{}}
	for id := range c.pages {
		b.states[content.Ref{Kind: content.KindPage, ID: id}] = linkFound
	}
	return findTask{
		match: b.match, prepare: b.prepare, notes: b.notes,
		found: func(pages int) string { return pagesThat(pages, "has broken links", "have broken links") },
	}
}

// refOf reads the address of a reference.
func refOf(to string) (content.Ref, bool) {
	ref, is, wrong := readHandle("", to, content.KindPage, content.KindImage, content.KindDocument)
	return ref, is && wrong == nil && strings.HasPrefix(to, "wagtail:")
}

// prepare looks up the links of a page.
func (b *brokenLinks) prepare(ctx context.Context, i apiObject, first bool) bool {
	var ask []content.Ref
	for _, line := range i.pageLines() {
		for _, link := range line.Links {
			ref, ok := refOf(link.To)
			if _, known := b.states[ref]; ok && !known && !slices.Contains(ask, ref) {
				ask = append(ask, ref)
			}
		}
	}
	if most := b.walk.left; len(ask) > most || b.walk.over() {
		if !first {
			return false
		}
		b.failed += len(ask) - most
		ask = ask[:most]
	}
	b.walk.take(len(ask))
	for n, k := range b.site.lookUp(ctx, b.within, ask) {
		if b.states[ask[n]] = k.state; k.state == linkFailed {
			b.failed++
		}
	}
	return true
}

func (b *brokenLinks) match(line fieldLine) (at int, about string) {
	at = -1
	for _, link := range line.Links {
		ref, ok := refOf(link.To)
		if !ok || b.states[ref] != linkAbsent {
			continue
		}
		if at < 0 {
			at = line.place(link)
		}
		if name := fmt.Sprintf(" → %s %d", ref.Kind, ref.ID); !strings.Contains(about+" ", name+" ") {
			about += name
		}
	}
	return at, about
}

func (b *brokenLinks) notes(pages int) []string {
	var notes []string
	if pages > 0 {
		notes = append(notes, "What → names was deleted, or is a draft, private or of another site.")
	}
	notes = append(notes, "Links that are written as addresses were not tried.")
	if b.failed > 0 {
		notes = append(notes, words.Count(b.failed, "link")+" could not be looked up.")
	}
	return notes
}

// A destination is where the links to find lead: an object by its id, its URL, or
// both. A URL of another site includes all below it.
type destination struct {
	ref   content.Ref // of kind "" for none
	at    *url.URL    // nil when it has no address
	own   bool        // at is of this site: links may have only its path
	hosts []string    // of this site
	name  string      // as sentences call it
	gone  bool        // the site has no such object any more
}

// destination reads the argument links_to: a page's id, path or URL, the address of a file,
// document:3, image:2, or any other URL. The census has the other names of the site.
func (s *Site) destination(ctx context.Context, given, site string, c census, w *requestBudget) (destination, error) {
	d := destination{name: tools.Quote(given), hosts: []string{s.base.Host, s.front.Host}}
	for address := range c.counts(originOf) {
		if u := webAddress(address, s.base); u != nil {
			d.hosts = append(d.hosts, u.Host)
		}
	}
	ref, named, wrong := readHandle("links_to", given, content.KindPage, content.KindImage, content.KindDocument)
	switch {
	case wrong != nil:
		return d, wrong
	case named:
		return s.known(ctx, d, ref, site, w)
	}
	at, err := s.base.Parse(given)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || !strings.Contains(given, "/") {
		return d, noDestination(given)
	}
	d.at, d.own = at, slices.Contains(d.hosts, at.Host)
	w.take(2)
	if file := fileAddress(given); file != nil && path.Ext(file.Path) != "" {
		for _, kind := range []string{content.KindDocument, content.KindImage} {
			i, err := s.fileAt(ctx, kind+"s", file)
			if refused, ok := errors.AsType[*siteError](err); err != nil && !(ok && refused.status == http.StatusNotFound) {
				return d, err
			}
			if i.ID > 0 {
				return d.of(content.Ref{Kind: kind, ID: i.ID}, i, s.base), nil
			}
		}
	}
	who, wrong := s.identify("links_to", given, "")
	if wrong != nil {
		return d, wrong
	}
	who.site = site
	i, found, err := s.page(ctx, who, identityOf(kindPages))
	switch {
	case notFound(err), err == nil && s.viewNote(found, i) != "":
		return d, nil // links may have the address all the same
	case err != nil:
		return d, err
	}
	return d.of(content.Ref{Kind: content.KindPage, ID: i.ID}, i, s.base), nil
}

// noDestination is the error for an invalid links_to.
func noDestination(given string) error {
	return invalid("links_to", given, "", "Pass a page's id, path (/visit/) or address, document:3, image:2, or the "+
		"address of another site.")
}

// known returns the destination of an object of the site. Links may still lead to a
// deleted one.
func (s *Site) known(ctx context.Context, d destination, ref content.Ref, site string, w *requestBudget) (destination,
	error) {
	w.take(1)
	i, err := s.referred(ctx, site, ref)
	if absent(err) {
		d.ref, d.own, d.gone = ref, true, true
		d.name = fmt.Sprintf("%s %d", ref.Kind, ref.ID)
		return d, nil
	}
	if err != nil {
		return d, err
	}
	return d.of(ref, i, s.base), nil
}

// of returns the destination of an object.
func (d destination) of(ref content.Ref, i apiObject, base *url.URL) destination {
	d.ref, d.own = ref, true
	d.name = fmt.Sprintf("%s %d (%s)", ref.Kind, ref.ID, i.title())
	if u := i.address(base); u != nil {
		d.at, d.hosts = u, append(d.hosts, u.Host)
	}
	return d
}

// leads reports whether a link leads to the destination.
func (d destination) leads(to string) bool {
	if d.ref.Kind != "" && to == refAddress(d.ref) {
		return true
	}
	if d.at == nil || strings.HasPrefix(to, "wagtail:") {
		return false
	}
	link, err := url.Parse(to)
	if err != nil || link.Host == "" && !strings.HasPrefix(to, "/") {
		return false
	}
	if !d.own {
		return strings.EqualFold(link.Host, d.at.Host) && strings.HasPrefix(clean(link.EscapedPath()),
			clean(d.at.EscapedPath()))
	}
	for _, host := range d.hosts {
		if link.Host == "" || strings.EqualFold(link.Host, host) {
			return clean(link.EscapedPath()) == clean(d.at.EscapedPath())
		}
	}
	return false
}
