package wagtail

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"issues-index/store/pattern"
	"issues-index/tools"
	"issues-index/tools/wagtail/content"
)

// A destination is what links are looked for: an object by its id, by its address, or
// both. An address of another site stands for all below it.
type destination struct {
	ref   content.Ref // of kind "" for none
	at    *url.URL    // nil when it has no address
	own   bool        // at is of this site: links may have its path alone
	hosts []string    // of this site
	name  string      // as sentences call it
	gone  bool        // the site has no such object any more
}

var namedRef = pattern.Lazy(`^(?:wagtail:)?(page|image|document)[:/ ]\s*(\d{1,10})$`)

// destination reads what links are to lead to: a page's id, path or address,
// document:3, image:2, or any other address. The pages that were counted tell by which
// other names the site calls itself.
func (s *Site) destination(ctx context.Context, given, site string, c census, w *walk) (destination, error) {
	d := destination{name: tools.Quote(given), hosts: []string{s.base.Host}}
	for address := range c.origins {
		if u := webAddress(address, s.base); u != nil {
			d.hosts = append(d.hosts, u.Host)
		}
	}
	if found := namedRef().FindStringSubmatch(strings.ToLower(given)); found != nil || isNumber(given) {
		kind, number := content.KindPage, given
		if found != nil {
			kind, number = found[1], found[2]
		}
		id, err := strconv.Atoi(number)
		if err != nil || id < 1 || id > maxID {
			return d, noDestination(given)
		}
		return s.known(ctx, d, content.Ref{Kind: kind, ID: id}, site, w)
	}
	at, err := s.base.Parse(given)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || !strings.Contains(given, "/") {
		return d, noDestination(given)
	}
	d.at, d.own = at, slices.Contains(d.hosts, at.Host)
	w.take(2)
	who := identity{site: site, field: "links_to", given: given}
	if !s.readAddress(&who, given) {
		return d, noDestination(given)
	}
	i, found, err := s.page(ctx, who, identityOf(kindPages))
	switch {
	case notFound(err), err == nil && s.viewNote(found, i) != "":
		return d, nil // links may have the address all the same
	case err != nil:
		return d, err
	}
	return d.of(content.Ref{Kind: content.KindPage, ID: i.ID}, i, s.base), nil
}

func noDestination(given string) error {
	return tools.Errorf(tools.CodeValidation, "Invalid links_to %s.", tools.Quote(given)).On("links_to").
		Try("Pass a page's id, path (/visit/) or address, document:3, image:2, or the address of another site.")
}

// known is the destination of an object of the site. One that is not there any more
// may still be linked to.
func (s *Site) known(ctx context.Context, d destination, ref content.Ref, site string, w *walk) (destination, error) {
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

// of is the destination of an object that was read.
func (d destination) of(ref content.Ref, i item, base *url.URL) destination {
	d.ref, d.own = ref, true
	d.name = fmt.Sprintf("%s %d (%s)", ref.Kind, ref.ID, i.title())
	for _, name := range []string{"html_url", "download_url"} {
		if u := i.url(name, base); u != nil {
			d.at, d.hosts = u, append(d.hosts, u.Host)
		}
	}
	return d
}

// referred reads the object that a reference is to. One of a page of another site may
// be to a page of the configured one.
func (s *Site) referred(ctx context.Context, site string, ref content.Ref) (item, error) {
	var i item
	for kind, name := range one {
		if name != ref.Kind {
			continue
		}
		at, query := fmt.Sprintf("%s/%d/", kind, ref.ID), url.Values{"fields": {identityOf(kind)}}
		if kind != kindPages || site == "" {
			err := s.get(ctx, at, query, &i)
			return i, err
		}
		err := s.get(ctx, at, siteQuery(site, "fields", identityOf(kind)), &i)
		if absent(err) {
			err = s.get(ctx, at, query, &i)
		}
		return i, err
	}
	return i, nil
}

// identityOf asks for no more of an object than its name and address.
func identityOf(kind string) string {
	if kind == kindPages {
		return "_," + pageIdentity
	}
	return "_," + fileIdentity
}

// leads reports whether a link leads there.
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
		return strings.EqualFold(link.Host, d.at.Host) && strings.HasPrefix(clean(link.EscapedPath()), clean(d.at.EscapedPath()))
	}
	for _, host := range d.hosts {
		if link.Host == "" || strings.EqualFold(link.Host, host) {
			return clean(link.EscapedPath()) == clean(d.at.EscapedPath())
		}
	}
	return false
}
