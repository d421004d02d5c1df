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

// An overview is the answer of wagtail_overview, without the rows of its types.
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

	census census   // of all pages
	from   int      // types that earlier calls have shown
	unmet  int      // pages whose type or locale is not known yet
	absent []string // endpoints that were tried and do not answer
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
	o := overview{TotalPages: c.total, Types: []typeRow{}, census: c, from: min(from, len(c.order))}
	types, unmet, err := s.countEach(ctx, "type", c, typeOf)
	if err != nil {
		return tools.Result{}, err
	}
	locales, others, err := s.countEach(ctx, "locale", c, localeOf)
	if err != nil {
		return tools.Result{}, err
	}
	o.unmet = max(unmet, others)
	names := c.order[o.from:]
	names = names[:min(overviewTypes, len(names))]
	samples := make([]objectBatch, len(names))
	err = each(len(names), func(n int) (err error) {
		samples[n], err = s.sample(ctx, kindPages, url.Values{"type": {names[n]}})
		if r, ok := errors.AsType[*siteError](err); ok && r.status == http.StatusBadRequest { // no type any more
			return nil
		}
		return err
	})
	if err != nil {
		return tools.Result{}, err
	}
	args.Progress(2, 3, "read the fields of the types")
	list := answer.List{Member: "types", Wide: args.Room().Bytes()}
	for n, name := range names {
		row := typeRow{Name: name, Pages: types[name], Fields: shapesIn(samples[n], commonMembers)}
		text := fmt.Sprintf("%s %d: %s", name, row.Pages, strings.Join(row.Fields, ", "))
		list.Rows = append(list.Rows, answer.Row{Text: text, Object: encoded(row)})
	}
	if !again {
		o.Site, o.Locales, o.Sites, o.MaxLimit = s.base.String(), locales, c.counts(originOf), int(s.most.Load())
		o.Endpoints, o.absent = s.endpoints(ctx, samples)
	}
	list.Around = o.around
	return args.List(&list), ctx.Err()
}

// countEach returns how many pages have each of the facts of one kind, by asking for each where the
// census is not complete, and how many pages have none of them.
func (s *Site) countEach(ctx context.Context, parameter string, c census, of func(pageFacts) string) (map[string]int,
	int, error) {
	counts, missing := c.counts(of), c.total
	names := slices.Sorted(maps.Keys(counts))
	if c.complete() || len(names) == 0 { // a site without languages has no locales
		return counts, 0, nil
	}
	batches := make([]objectBatch, len(names))
	err := each(len(names), func(n int) (err error) {
		batches[n], err = s.once(ctx, kindPages, url.Values{parameter: {names[n]}}, 1, 0)
		return err
	})
	for n, name := range names {
		counts[name] = batches[n].total
		missing -= batches[n].total
	}
	return counts, max(missing, 0), err
}

// sample reads one object of a list with all its fields.
func (s *Site) sample(ctx context.Context, kind string, query url.Values) (objectBatch, error) {
	query.Set("fields", "*")
	return s.once(ctx, kind, query, 1, 0)
}

// shapesIn returns the fields of the objects of a sample.
func shapesIn(b objectBatch, besides []string) []string {
	fields := []string{}
	for _, i := range b.items {
		fields = append(fields, i.fieldShapes(besides)...)
	}
	return fields
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
	batches, failures := make([]objectBatch, len(names)), make([]error, len(names))
	_ = each(len(names), func(n int) error {
		batches[n], failures[n] = s.sample(ctx, names[n], url.Values{})
		return nil
	})
	for n, name := range names {
		if failures[n] != nil {
			absent = append(absent, name)
			continue
		}
		rows = append(rows, endpointRow{name, batches[n].total, shapesIn(batches[n], []string{"type", "detail_url"})})
	}
	return rows, absent
}

// around is what stands around the first n types.
func (o *overview) around(n int) answer.Around {
	object := *o
	next, shown := "", o.from+n
	more := shown < len(o.census.order)
	if more || o.unmet > 0 {
		object.NextCursor = encodeCursor(overviewName, url.Values{"types": {strconv.Itoa(shown)}})
		next = fmt.Sprintf("More types follow. Pass cursor '%s' to see them.", object.NextCursor)
	}
	if !more && o.unmet > 0 {
		next = fmt.Sprintf("%s a type or locale that is not among these: %d of %d were looked at. Pass cursor '%s' to "+
			"look on.", words.Count(o.unmet, "page has", "pages have"), len(o.census.pages), o.census.total,
			object.NextCursor)
	}
	object.Note = next
	if !o.census.complete() {
		object.Note = sentences(next, fmt.Sprintf("A type's number has the pages of types derived from it, too; addresses "+
			"are those of %d pages.", len(o.census.pages)))
	}
	lines := o.about()
	lines[0] = sentences(lines[0], object.Note)
	if n > 0 {
		lines = append(lines, "Page types, with their number of pages and their fields besides the common ones:")
	}
	return answer.Around{Head: strings.Join(lines, "\n"), More: next, Object: encoded(object)}
}

// about returns the lines about the site as a whole, in the first answer.
func (o *overview) about() []string {
	if o.Site == "" {
		return []string{"Further page types."}
	}
	lines := []string{fmt.Sprintf("The site at %s has %s of %s.", o.Site, words.Count(o.TotalPages, "page"),
		words.Count(len(o.census.order), "type"))}
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
