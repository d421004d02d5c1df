package wagtail

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"issues-index/store/pattern"
	"issues-index/tools"
)

// maxFiles bounds the files that are looked through for an address: the API has no
// filter by it.
const maxFiles = 1000

// documentPath is how Wagtail serves a document, its id before its name.
var documentPath = pattern.Lazy(`/documents/(\d{1,10})/[^/]+$`)

// readFile reads which image or document is wanted: an id, or the address of one.
func (s *Site) readFile(args *tools.Args) (id int, address *url.URL) {
	given := strings.TrimSpace(args.Required("id"))
	if !strings.Contains(given, "/") {
		return args.Int("id", 1, maxID, 0), nil
	}
	u, err := url.Parse(text(args, "id"))
	web := err == nil && (u.Scheme == "" || (u.Scheme == "http" || u.Scheme == "https") && u.Host != "")
	if !web || u.Path == "" || strings.HasSuffix(u.Path, "/") {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid id %s: it is no address of a file.", tools.Quote(given)).On("id").
			Try("Pass an id (a number), or the address that a list or a link shows."))
	}
	return 0, u
}

// fileAt returns the file that has an address: its own, or for an image that of one
// of its renditions, which are named after it. It returns 0 for none, and whether
// all files were compared.
func (s *Site) fileAt(ctx context.Context, kind string, at *url.URL) (id int, all bool, err error) {
	hosts, err := s.hosts(ctx, at)
	if err != nil {
		return 0, false, err
	}
	if found := documentPath().FindStringSubmatch(at.Path); found != nil && kind == kindDocuments {
		id, err := strconv.Atoi(found[1])
		if err != nil {
			return 0, true, nil //nolint:nilerr // no document has so large an id
		}
		var i item
		if err = s.get(ctx, fmt.Sprintf("%s/%d/", kind, id), url.Values{"fields": {"_," + fileIdentity}}, &i); err != nil && !absent(err) {
			return 0, false, err
		}
		if u := i.url("download_url", s.base); u == nil || !isFileAt(kind, u, at, hosts) {
			id = 0
		}
		return id, true, nil
	}
	for n, offset, more := 0, 0, true; more && n < maxPages && offset < maxFiles; n++ {
		b, err := s.list(ctx, kind, url.Values{}, usualMost, offset)
		if err != nil {
			return 0, false, err
		}
		for _, i := range b.items {
			if u := i.url("download_url", s.base); u != nil && isFileAt(kind, u, at, hosts) {
				return i.ID, true, nil
			}
		}
		offset, more = b.next(len(b.items))
		all = !more
	}
	return 0, all, nil
}

// hosts are those under which the site is known: those of the API and of visitors, and
// the one that the site takes for its own. An address without a host needs none.
func (s *Site) hosts(ctx context.Context, at *url.URL) ([]string, error) {
	hosts := []string{hostOf(s.base), hostOf(s.front)}
	if at.Host == "" {
		return hosts, nil
	}
	root, err := s.routed(ctx, "/")
	if err != nil || root == 0 {
		return hosts, err
	}
	home, err := s.detail(ctx, identity{id: root}, "_,"+pageIdentity)
	if u := home.url("html_url", s.base); u != nil {
		hosts = append(hosts, hostOf(u))
	}
	return hosts, err
}

// isFileAt reports whether a file with one address is what another leads to.
func isFileAt(kind string, own, at *url.URL, hosts []string) bool {
	if at.Host != "" && hostOf(own) != hostOf(at) && !(slices.Contains(hosts, hostOf(own)) && slices.Contains(hosts, hostOf(at))) {
		return false
	}
	if own.Path == at.Path {
		return true
	}
	name := path.Base(own.Path)
	stem := strings.TrimSuffix(name, path.Ext(name)) + "."
	return kind == kindImages && path.Dir(own.Path) != path.Dir(at.Path) && strings.HasPrefix(path.Base(at.Path), stem)
}
