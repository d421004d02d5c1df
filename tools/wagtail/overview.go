package wagtail

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
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
		Description: "Show what the Wagtail site contains: pages by type with the fields of each type, locales, sites, " +
			"the endpoints " +
			"that answer, and the API's limits. Call it first. Read-only. Many types come in several answers: go on with " +
			"cursor.",
		Input:  schemaOf("cursor text"),
		Output: schemaOf("totalPages number*, types list*, nextCursor text, note text"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			query, again := resumed(args, overviewName, url.Values{})
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			return s.overview(ctx, args, numberOf(query, "types"), again)
		},
	})
}

// An overviewAnswer is an overview to be shown.
type overviewAnswer struct {
	overview // without its types; that of a call that continues has the number of pages alone
	host     string
	census   census // of all pages
	types    []typeRow
	list     answer.List
	from     int      // types that earlier calls have shown
	unmet    int      // pages whose type or locale is not known yet
	absent   []string // endpoints that were tried and do not answer
}

// overview answers with the types from one on; the first answer has everything else as well.
func (s *Site) overview(ctx context.Context, args *tools.Args, from int, again bool) (tools.Result, error) {
	all, w := url.Values{}, s.walk()
	c, err := s.census(ctx, all, w)
	if err == nil && (from == 0 || from >= len(c.order)) {
		c, err = s.readOn(ctx, all, c, w, len(c.unread))
	}
	if err != nil {
		return tools.Result{}, err
	}
	args.Progress(1, 3, "counted the pages")
	names := c.order[min(from, len(c.order)):]
	names = names[:min(overviewTypes, len(names))]
	samples, failures := s.samples(ctx, names, func(name string) (string, url.Values) {
		return kindPages, url.Values{"type": {name}}
	})
	for _, err := range failures {
		r, ok := errors.AsType[*siteError](err)
		noType := ok && r.status == http.StatusBadRequest // any more
		if err != nil && !noType {
			return tools.Result{}, err
		}
	}
	args.Progress(2, 3, "read the fields of the types")
	o := &overviewAnswer{host: s.base.Host, census: c, from: from, overview: overview{TotalPages: c.total}}
	if !c.complete() {
		// What the lists that were read do not have, the API counts, one name at a time.
		for parameter, counts := range map[string]*map[string]int{"type": &o.census.types, "locale": &o.census.locales} {
			missing := 0
			if *counts, missing, err = s.countEach(ctx, parameter, *counts, c.total); err != nil {
				return tools.Result{}, err
			}
			o.unmet = max(o.unmet, missing)
		}
	}
	for n, name := range names {
		row := typeRow{Name: name, Pages: o.census.types[name], Fields: []string{}}
		for _, i := range samples[n].items {
			row.Fields = append(row.Fields, i.fieldShapes(commonMembers)...)
		}
		o.types = append(o.types, row)
	}
	if !again {
		o.Site, o.Locales, o.Sites, o.MaxLimit = s.base.String(), o.census.locales, c.origins, int(s.most.Load())
		o.Endpoints, o.absent = s.endpoints(ctx, samples)
	}
	o.list = answer.List{Member: "types", Wide: args.Room().Bytes(), Around: o.around}
	for _, t := range o.types {
		text := fmt.Sprintf("%s %d: %s", t.Name, t.Pages, strings.Join(t.Fields, ", "))
		o.list.Rows = append(o.list.Rows, answer.Row{Text: text, Object: encoded(t)})
	}
	return args.List(&o.list), ctx.Err()
}

// countEach asks how many pages have each of the values of a parameter, and returns how many of the
// total have none of them.
func (s *Site) countEach(ctx context.Context, parameter string, met map[string]int, total int) (counts map[string]int,
	missing int, err error) {
	names := slices.Sorted(maps.Keys(met))
	batches := make([]objectBatch, len(names))
	err = each(len(names), func(n int) (err error) {
		batches[n], err = s.once(ctx, kindPages, url.Values{parameter: {names[n]}}, 1, 0)
		return err
	})
	if len(names) == 0 { // a site without languages
		return met, 0, nil
	}
	counts = make(map[string]int, len(names))
	for n, name := range names {
		counts[name] = batches[n].total
		total -= batches[n].total
	}
	return counts, max(total, 0), err
}

// samples reads one object with all its fields of each of some lists, and why it could not.
func (s *Site) samples(ctx context.Context, names []string, list func(name string) (kind string,
	query url.Values)) ([]objectBatch, []error) {
	batches, failures := make([]objectBatch, len(names)), make([]error, len(names))
	_ = each(len(names), func(n int) error {
		kind, query := list(names[n])
		query.Set("fields", "*")
		batches[n], failures[n] = s.once(ctx, kind, query, 1, 0)
		return nil
	})
	return batches, failures
}

// endpoints tries the endpoints that Wagtail has, and those that pages refer to.
func (s *Site) endpoints(ctx context.Context, pages []objectBatch) (rows []endpointRow, absent []string) {
	names := []string{kindImages, kindDocuments, "redirects"}
	for _, b := range pages {
		for _, i := range b.items {
			for _, m := range i.members {
				for _, found := range detailAddress().FindAllSubmatch(m.value, -1) {
					names = append(names, string(found[1]))
				}
			}
		}
	}
	names = slices.DeleteFunc(words.Once(names), func(name string) bool { return name == kindPages })
	names = names[:min(overviewEndpoints, len(names))]
	batches, failures := s.samples(ctx, names, func(name string) (string, url.Values) { return name, url.Values{} })
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
	return rows, absent
}

// around is what stands around the first n types.
func (o *overviewAnswer) around(n int) answer.Around {
	object := o.overview
	object.Types = []typeRow{}
	lines := o.about()
	next, shown := "", min(o.from, len(o.census.order))+n
	more := shown < len(o.census.order)
	if more || o.unmet > 0 && !o.census.complete() {
		object.NextCursor = encodeCursor(overviewName, url.Values{"types": {strconv.Itoa(shown)}})
		next = fmt.Sprintf("More types follow. Pass cursor '%s' to see them.", object.NextCursor)
		if !more {
			next = fmt.Sprintf("%d pages have a type or locale that is not among these: %d of %d were looked at. Pass "+
				"cursor '%s' to look on.",
				o.unmet, len(o.census.ids), o.census.total, object.NextCursor)
		}
	}
	notes := []string{next}
	if !o.census.complete() {
		notes = append(notes, fmt.Sprintf("A type's number has the pages of types derived from it, too; addresses are "+
			"those of %d pages.", len(o.census.ids)))
	}
	object.Note = sentences(notes...)
	lines[0] = sentences(lines[0], object.Note)
	if n > 0 {
		lines = append(lines, "Page types, with their number of pages and their fields besides the common ones:")
	}
	return answer.Around{Head: strings.Join(lines, "\n"), More: next, Object: encoded(object)}
}

// about returns the lines about the site as a whole, in the first answer.
func (o overviewAnswer) about() []string {
	if o.Site == "" {
		return []string{"Further page types of " + o.host + "."}
	}
	lines := []string{fmt.Sprintf("The site at %s has %d pages of %d types.", o.host, o.census.total, len(o.census.order))}
	if o.MaxLimit > 0 {
		lines[0] += fmt.Sprintf(" Its API gives at most %d objects at a time.", o.MaxLimit)
	}
	add := func(name string, values []string) {
		if len(values) > 0 {
			lines = append(lines, name+": "+words.Cut(strings.Join(values, ", "), 1000))
		}
	}
	add("Locales", counted(o.Locales))
	add("Addresses of pages", counted(o.Sites))
	for _, e := range o.Endpoints {
		add(fmt.Sprintf("%s %d", e.Name, e.Objects), e.Fields)
	}
	add("Endpoints that do not answer", o.absent)
	return append(lines, "Fields of every page: title, slug, html_url, first_published_at, locale, show_in_menus, "+
		"seo_title, search_description, alias_of")
}
