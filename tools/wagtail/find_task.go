package wagtail

import (
	"context"
	"fmt"
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

// unseen says which links are not found: the API does not mark what a number in a StreamField is of.
const unseen = "Choosers in a StreamField are bare numbers in the API: only those under a name that ends with page, " +
	"image, photo, picture or document are seen as links."

// A findTask is what a call looks for.
type findTask struct {
	// match returns where in a line it is, -1 where it is not, and what to say of it.
	match func(line fieldLine) (at int, about string)
	// has and have say of one page and of several that they have it.
	has, have string
	// note says more about the answer.
	note func() string
}

// found says of a number of pages that they have what was looked for.
func (t findTask) found(pages int) string {
	switch pages {
	case 0:
		return "No page " + t.has
	case 1:
		return "1 page " + t.has
	}
	return fmt.Sprintf("%d pages %s", pages, t.have)
}

// readTask reads what the call looks for.
func (f *finder) readTask(ctx context.Context) (findTask, error) {
	nothing := func() string { return "" }
	if f.query.Has("text") {
		wanted, named := string(folded(f.query.Get("text"))), tools.Quote(f.query.Get("text"))
		match := func(line fieldLine) (int, string) { return placeOf(line.Text, wanted), "" }
		return findTask{match, "has " + named, "have " + named, nothing}, nil
	}
	if f.query.Has("broken_links") {
		f.broken = &brokenLinks{finder: f, states: map[content.Ref]linkState{}}
		for id := range f.census.pages {
			f.broken.states[content.Ref{Kind: content.KindPage, ID: id}] = linkFound
		}
		return findTask{f.broken.match, "has broken links", "have broken links", f.broken.note}, nil
	}
	to, err := f.destination(ctx, f.query.Get("links_to"))
	if err != nil {
		return findTask{}, err
	}
	note := ""
	if to.ref.Kind != "" { // it is not sought again by its address
		f.query.Set("links_to", fmt.Sprintf("%s:%d", to.ref.Kind, to.ref.ID))
		note = sentences(to.gone, unseen)
	}
	match := func(line fieldLine) (int, string) {
		if n := slices.IndexFunc(line.Links, func(link content.TextLink) bool { return to.leads(link.To) }); n >= 0 {
			return line.place(line.Links[n]), ""
		}
		return -1, ""
	}
	return findTask{match, "links to " + to.name, "link to " + to.name, func() string { return note }}, nil
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

// brokenLinks looks for links to objects that the site does not have.
type brokenLinks struct {
	*finder
	states map[content.Ref]linkState // of the links that are known
	failed int                       // links that could not be looked up
}

// refOf reads the address of a reference.
func refOf(to string) (content.Ref, bool) {
	ref, is, wrong := readHandle("", to, content.KindPage, content.KindImage, content.KindDocument)
	return ref, is && wrong == nil && strings.HasPrefix(to, "wagtail:")
}

// prepare looks up the links of a page, and reports whether it may. It may for the first page of a
// call, so that each call gets on.
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
	if !b.walk.take(len(ask)) && !first {
		return false
	}
	b.failed += max(0, len(ask)-maxTargets)
	ask = ask[:min(len(ask), maxTargets)]
	for n, k := range b.site.lookUp(ctx, b.within.Get("site"), ask) {
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

func (b *brokenLinks) note() string {
	note := "Links that are written as addresses were not tried. " + unseen
	if len(b.Rows) > 0 {
		note = "What → names was deleted, or is a draft, private or of another site. " + note
	}
	if b.failed > 0 {
		note += " " + words.Count(b.failed, "link") + " could not be looked up."
	}
	return note
}

// A destination is where the links to find lead: an object by its id, its URL, or
// both. A URL of another site includes all below it.
type destination struct {
	ref   content.Ref // of kind "" for none
	at    *url.URL    // nil when it has no address
	hosts []string    // of this site
	name  string      // as sentences call it
	gone  string      // says that the site has no such object any more, "" when it has
}

// destination reads the argument links_to: a page's id, path or URL, the address of a file,
// document:3, image:2, or any other URL. The census has the other names of the site.
func (f *finder) destination(ctx context.Context, given string) (d destination, err error) {
	s, site := f.site, f.within.Get("site")
	d = destination{name: tools.Quote(given), hosts: []string{s.base.Host, s.front.Host}}
	for address := range f.census.counts(originOf) {
		if u := webAddress(address, s.base); u != nil {
			d.hosts = append(d.hosts, u.Host)
		}
	}
	ref, numbered, wrong := readHandle("links_to", given, content.KindPage, content.KindImage, content.KindDocument)
	if wrong != nil {
		return d, wrong
	}
	if !numbered {
		if d.at = webAddress(given, s.base); d.at == nil || !strings.Contains(given, "/") {
			return d, invalid("links_to", given, "", "Pass a page's id, path (/visit/) or address, document:3, image:2, or the "+
				"address of another site.")
		}
		f.walk.take(2)
		if ref, site, err = s.refAt(ctx, given, site); err != nil || ref.ID == 0 {
			return d, err // links may have the address all the same
		}
	}
	f.walk.take(1)
	i, err := s.referred(ctx, site, ref)
	d.ref, d.name = ref, fmt.Sprintf("%s %d", ref.Kind, ref.ID)
	if notFound(err) { // links may still lead to a deleted object
		d.gone = "The site has no such object (any more), or it is a draft or private: these links are broken."
		return d, nil
	}
	d.name += fmt.Sprintf(" (%s)", i.title())
	if d.at = i.address(s.base); d.at != nil {
		d.hosts = append(d.hosts, d.at.Host)
	}
	return d, err
}

// refAt returns the reference of the file or page at an address, one without an id for none, and
// the other site that has it.
func (s *Site) refAt(ctx context.Context, given, site string) (ref content.Ref, of string, err error) {
	if file := fileAddress(given); file != nil && path.Ext(file.Path) != "" {
		for _, kind := range []string{content.KindDocument, content.KindImage} {
			i, err := s.fileAt(ctx, kind+"s", file)
			if err != nil && !missing(err) || i.ID > 0 {
				return content.Ref{Kind: kind, ID: i.ID}, "", err
			}
		}
	}
	who, wrong := s.identify("links_to", given, "")
	if wrong != nil {
		return ref, "", wrong
	}
	who.site = site
	i, found, err := s.page(ctx, who, identityOf(kindPages))
	if notFound(err) || err == nil && s.viewNote(found, i) != "" {
		return ref, "", nil
	}
	return content.Ref{Kind: content.KindPage, ID: i.ID}, found.site, err
}

// leads reports whether a link leads to the destination.
func (d destination) leads(to string) bool {
	if d.ref.Kind != "" && to == refAddress(d.ref) {
		return true
	}
	link, err := url.Parse(to)
	if err != nil || d.at == nil || strings.HasPrefix(to, "wagtail:") || link.Host == "" && !strings.HasPrefix(to, "/") {
		return false
	}
	from, at := clean(link.EscapedPath()), clean(d.at.EscapedPath())
	if slices.Contains(d.hosts, d.at.Host) {
		return from == at && (link.Host == "" || slices.Contains(d.hosts, strings.ToLower(link.Host)))
	}
	return strings.EqualFold(link.Host, d.at.Host) && strings.HasPrefix(from, at)
}
