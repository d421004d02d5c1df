package wagtail

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
)

const (
	// overviewTypes is how many page types one answer describes: each takes a request.
	overviewTypes = 20
	// overviewEndpoints is the most endpoints that are tried.
	overviewEndpoints = 8
)

// A typeRow describes a page type.
type typeRow struct {
	Name   string   `json:"name"`
	Pages  int      `json:"pages"`
	Fields []string `json:"fields"`
}

// An endpointRow describes an endpoint of the API.
type endpointRow struct {
	Name    string   `json:"name"`
	Objects int      `json:"objects"`
	Fields  []string `json:"fields"`
}

// An overview is the answer of wagtail_overview.
type overview struct {
	Site       string         `json:"site,omitempty"`
	TotalPages int            `json:"totalPages"`
	Types      []typeRow      `json:"types"`
	Locales    map[string]int `json:"locales,omitempty"`
	Sites      map[string]int `json:"sites,omitempty"`     // by the origin of the pages' addresses
	Endpoints  []endpointRow  `json:"endpoints,omitempty"` // besides pages
	MaxLimit   int            `json:"maxLimit,omitempty"`  // objects that the API gives at a time
	NextCursor string         `json:"nextCursor,omitempty"`
	Note       string         `json:"note,omitempty"`
}

func overviewOf(s *Site) tools.Tool {
	return readOnly(tools.Tool{
		Name: overviewName,
		Description: "Show what the Wagtail site contains: pages by type with the fields of each type, locales, sites, the endpoints that answer, " +
			"and the API's limits. Call it first. Read-only. Many types come in several answers: go on with cursor.",
		Input: tools.ObjectSchema(`"cursor":` + anyText),
		Output: tools.ObjectSchema(`"totalPages":`+number+`,"types":{"type":"array","items":{"type":"object","properties":{}}},"nextCursor":`+anyText+`,"note":`+anyText,
			"totalPages", "types"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			query, resumed := s.resumed(args, overviewName, url.Values{})
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			return s.overview(ctx, args, query.Get("type"), !resumed)
		},
	})
}

// overview answers with the types after one; the first answer has everything else as well.
func (s *Site) overview(ctx context.Context, args *tools.Args, behind string, first bool) (tools.Result, error) {
	c, err := s.census(ctx, url.Values{}, s.walk())
	if err != nil {
		return tools.Result{}, err
	}
	names := slices.DeleteFunc(c.typeNames(), func(name string) bool { return name <= behind })
	rest := names[min(overviewTypes, len(names)):]
	names = names[:len(names)-len(rest)]
	args.Progress(1, 3, "counted the pages")
	samples, err := s.samples(ctx, names)
	if err != nil {
		return tools.Result{}, err
	}
	args.Progress(2, 3, "read the fields of the types")
	o := overviewAnswer{site: s, census: c, last: len(rest) == 0}
	for n, name := range names {
		row := typeRow{Name: name, Pages: c.types[name], Fields: []string{}}
		if !c.complete() { // the type's own count is exact, if it has no types derived from it
			row.Pages = samples[n].total
		}
		if len(samples[n].items) > 0 {
			row.Fields = append(row.Fields, samples[n].items[0].fieldShapes(commonMembers)...)
		}
		o.types = append(o.types, row)
	}
	if first {
		o.first = true
		if o.endpoints, o.absent, err = s.endpoints(ctx, samples); err != nil {
			return tools.Result{}, err
		}
	}
	return fewer(args, len(o.types), o.show), nil
}

// samples reads one page of each type with all its fields. A type that cannot be read
// has none.
func (s *Site) samples(ctx context.Context, names []string) ([]objectBatch, error) {
	samples := make([]objectBatch, len(names))
	read := func(n int) error {
		b, err := s.once(ctx, kindPages, url.Values{"type": {names[n]}, "fields": {"*"}}, 1, 0)
		samples[n] = b
		if r, ok := errors.AsType[*siteError](err); ok && r.status == http.StatusBadRequest { // it is no type any more
			return nil
		}
		return err
	}
	if len(names) > 0 { // one first: it tells in which forms the site has rich text
		if err := read(0); err != nil {
			return nil, err
		}
	}
	return samples, each(max(0, len(names)-1), func(n int) error { return read(n + 1) })
}

// endpoints tries the endpoints that Wagtail has, and those that pages refer to.
func (s *Site) endpoints(ctx context.Context, samples []objectBatch) (rows []endpointRow, absent []string, err error) {
	names := []string{kindImages, kindDocuments, "redirects"}
	for _, b := range samples {
		for _, i := range b.items {
			for _, m := range i.members {
				for _, found := range detailAddress().FindAllSubmatch(m.value, -1) {
					name := string(found[1])
					if name != kindPages && !slices.Contains(names, name) {
						names = append(names, name)
					}
				}
			}
		}
	}
	names = names[:min(overviewEndpoints, len(names))]
	batches, failures := make([]objectBatch, len(names)), make([]error, len(names))
	_ = each(len(names), func(n int) error {
		batches[n], failures[n] = s.once(ctx, names[n], url.Values{"fields": {"*"}}, 1, 0)
		return nil
	})
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	for n, name := range names {
		if failures[n] != nil {
			absent = append(absent, name)
			continue
		}
		row := endpointRow{Name: name, Objects: batches[n].total, Fields: []string{}}
		for _, i := range batches[n].items {
			row.Fields = append(row.Fields, i.fieldShapes([]string{"type", "detail_url"})...)
		}
		rows = append(rows, row)
	}
	return rows, absent, nil
}

// An overviewAnswer is an overview to be shown.
type overviewAnswer struct {
	site      *Site
	census    census
	types     []typeRow
	endpoints []endpointRow
	absent    []string // endpoints that were tried and do not answer
	first     bool     // of the answers
	last      bool     // no type is behind these
}

// show answers with the first n types.
func (o overviewAnswer) show(n int) tools.Result {
	answer := overview{TotalPages: o.census.total, Types: append([]typeRow{}, o.types[:n]...)}
	var lines []string
	next := ""
	if n < len(o.types) || !o.last && n > 0 {
		answer.NextCursor = o.site.encodeCursor(overviewName, url.Values{"type": {o.types[n-1].Name}})
		next = fmt.Sprintf("More types follow. Pass cursor '%s' to see them.", answer.NextCursor)
	}
	if o.first {
		lines = o.about(&answer)
	} else {
		lines = []string{fmt.Sprintf("Further page types of %s.", o.site.base.Host)}
	}
	if len(answer.Types) > 0 {
		lines = append(lines, "Page types, with their number of pages and their fields besides the common ones:")
	}
	for _, t := range answer.Types {
		lines = append(lines, fmt.Sprintf("%s %d: %s", t.Name, t.Pages, strings.Join(t.Fields, ", ")))
	}
	notes := []string{next}
	if o.first {
		notes = append(notes, o.counting())
	}
	answer.Note = sentences(notes...)
	if answer.Note != "" {
		lines[0] = sentences(lines[0], answer.Note)
	}
	return paginated(tools.Result{Text: strings.Join(lines, "\n"), Structured: answer, Items: n}, next)
}

// about returns the lines about the site as a whole.
func (o overviewAnswer) about(answer *overview) []string {
	answer.Site = o.site.base.String()
	answer.Locales, answer.Sites, answer.Endpoints = o.census.locales, o.census.origins, o.endpoints
	answer.MaxLimit = int(o.site.most.Load())
	lines := []string{fmt.Sprintf("The site at %s has %d pages of %d types.", o.site.base.Host, o.census.total, len(o.census.types))}
	if answer.MaxLimit > 0 {
		lines[0] += fmt.Sprintf(" Its API gives at most %d objects at a time.", answer.MaxLimit)
	}
	add := func(name string, values []string) {
		if len(values) > 0 {
			lines = append(lines, name+": "+words.Cut(strings.Join(values, ", "), 1000))
		}
	}
	add("Locales", counted(o.census.locales))
	add("Addresses of pages", counted(o.census.origins))
	for _, e := range o.endpoints {
		lines = append(lines, fmt.Sprintf("%s %d: %s", e.Name, e.Objects, words.Cut(strings.Join(e.Fields, ", "), 500)))
	}
	add("Endpoints that do not answer", o.absent)
	return append(lines, "Fields of every page: title, slug, html_url, first_published_at, locale, show_in_menus, seo_title, search_description, alias_of")
}

// counting says how exact the numbers are, "" when they are exact.
func (o overviewAnswer) counting() string {
	if o.census.complete() {
		return ""
	}
	return fmt.Sprintf("Types, locales and addresses are those of %d pages in all parts of the tree; there may be others. A type's number has the pages of types derived from it, too.", o.census.seen)
}
