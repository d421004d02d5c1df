package wagtail

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
)

// searchSize is how many rows of each kind a search shows without a limit.
const searchSize = 10

// kinds are the kinds of objects that a search covers, in the order of its answer.
var kinds = []string{kindPages, kindImages, kindDocuments}

// searchAnswer is the answer of wagtail_search_content.
type searchAnswer struct {
	Pages      []listRow      `json:"pages"`
	Images     []listRow      `json:"images"`
	Documents  []listRow      `json:"documents"`
	Totals     map[string]int `json:"totals"` // by kind
	NextCursor string         `json:"nextCursor,omitempty"`
	Note       string         `json:"note,omitempty"`
}

func searchContent(s *Site) tools.Tool {
	return readOnly(tools.Tool{
		Name: searchName,
		Description: "Search the Wagtail site: pages, images and documents at once. Read-only. " +
			"Whole words, all of them unless search_operator is or; limit is per kind. type and site (another host of this Wagtail) narrow to pages. " +
			"excerpts shows where the words stand in the first 10 pages.",
		Input: tools.ObjectSchema(`"query":` + anyText + `,"kinds":{"type":"array","items":{"type":"string","enum":["pages","images","documents"]}},"type":` + anyText +
			`,"site":` + anyText + `,"search_operator":{"type":"string","enum":["and","or"]},"excerpts":{"type":"boolean"},` + pageInput),
		Output: tools.ObjectSchema(`"pages":`+someRows+`,"images":`+someRows+`,"documents":`+someRows+
			`,"totals":{"type":"object","properties":{}},"nextCursor":`+anyText+`,"note":`+anyText, "pages", "images", "documents", "totals"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			return s.search(ctx, args)
		},
	})
}

// search asks for each kind and merges the answers. A kind that fails is named; if all
// fail, that is an error.
func (s *Site) search(ctx context.Context, args *tools.Args) (tools.Result, error) {
	query := readSearch(args)
	set(query, "site", s.otherSite(args))
	query, resumed := s.resumed(args, searchName, query)
	if query.Get("query") == "" {
		args.Required("query")
	}
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	limit := searchSize
	if query.Has("limit") {
		limit = numberOf(query, "limit")
	}
	h := searchResults{site: s, query: query}
	var wanted []string
	for _, kind := range kinds {
		switch {
		case query.Has("kinds") && !slices.Contains(strings.Split(query.Get("kinds"), ","), kind):
		case kind != kindPages && !query.Has("kinds") && (query.Has("type") || query.Has("site")):
		case resumed && !query.Has(kind): // all of it was shown
		default:
			wanted = append(wanted, kind)
		}
	}
	samples := make([]kindMatches, len(wanted))
	failures := make([]error, len(wanted))
	_ = each(len(wanted), func(n int) error {
		kind := wanted[n]
		asked := url.Values{"search": {query.Get("query")}}
		set(asked, "search_operator", query.Get("search_operator"))
		if kind == kindPages {
			set(asked, "type", query.Get("type"))
			set(asked, "site", query.Get("site"))
		}
		samples[n].kind = kind
		samples[n].objectBatch, failures[n] = s.list(ctx, kind, asked, limit, numberOf(query, kind))
		return nil
	})
	for n, err := range failures {
		if err == nil {
			h.parts = append(h.parts, samples[n])
			h.notes = append(h.notes, samples[n].sizeNote(wanted[n]))
			if wanted[n] == kindPages && query.Has("excerpts") {
				h.excerpts = s.excerpts(ctx, samples[n].items, query.Get("query"), query.Get("site"))
			}
			continue
		}
		h.notes = append(h.notes, fmt.Sprintf("The %s could not be searched: %s", wanted[n], words.Cut(tools.ErrorOf(err).Message, 200)))
	}
	if len(h.parts) == 0 {
		return tools.Result{}, s.naming(failures[0])
	}
	most := 1
	for _, p := range h.parts {
		most = max(most, len(p.items))
	}
	return fewer(args, most, h.show), nil
}

// readSearch reads the arguments, under the names that the cursor has for them.
func readSearch(args *tools.Args) url.Values {
	query := url.Values{}
	set(query, "query", searchWords(args, "query"))
	set(query, "kinds", strings.Join(args.Enums("kinds", kinds...), ","))
	set(query, "type", pageTypes(args, "type"))
	set(query, "search_operator", args.Enum("search_operator", "and", "or"))
	if args.Bool("excerpts") {
		query.Set("excerpts", "true")
	}
	if query.Has("type") && query.Has("kinds") && !strings.Contains(query.Get("kinds"), kindPages) {
		args.Fail(tools.Errorf(tools.CodeValidation, "Only pages have a type.").On("type").Try("Leave out type, or add pages to kinds."))
	}
	if args.Has("limit") {
		query.Set("limit", strconv.Itoa(limitOf(args, 1, args.Settings().MaxPageSize)))
	}
	return query
}

// searchResults are the results of a search, to be shown.
type searchResults struct {
	site  *Site
	query url.Values
	parts []kindMatches
	notes []string

	excerpts map[int]string // of pages, by their ids
}

// kindMatches are the results of one kind.
type kindMatches struct {
	objectBatch
	kind string
}

// show answers with at most n rows of each kind.
func (h searchResults) show(n int) tools.Result {
	answer := searchAnswer{Pages: []listRow{}, Images: []listRow{}, Documents: []listRow{}, Totals: map[string]int{}}
	onward := maps.Clone(h.query)
	for _, kind := range kinds {
		onward.Del(kind)
	}
	var lines, counts []string
	remaining, shown, matches, shared := 0, 0, 0, ""
	for _, p := range h.parts {
		rows := h.site.rows(p.kind, p.items[:min(n, len(p.items))], false)
		if p.kind == kindPages {
			for n := range rows {
				rows[n].Excerpt = h.excerpts[rows[n].ID]
			}
		}
		answer.Totals[p.kind] = p.total
		switch p.kind {
		case kindPages:
			answer.Pages = rows
		case kindImages:
			answer.Images = rows
		case kindDocuments:
			answer.Documents = rows
		}
		shown += len(rows)
		matches += p.total
		counts = append(counts, fmt.Sprintf("%d of %d %s", len(rows), p.total, p.kind))
		if offset, more := p.next(len(rows)); more {
			onward.Set(p.kind, strconv.Itoa(offset))
			remaining += p.total - offset
		}
		if len(rows) == 0 {
			continue
		}
		lines = append(lines, strings.ToUpper(p.kind[:1])+p.kind[1:]+":")
		shared = sentences(shared, dropShared(rows))
		for _, r := range rows {
			lines = append(lines, r.text())
		}
	}
	first := "Showing " + strings.Join(counts, ", ") + "."
	if matches == 0 {
		first = "Nothing matches. The site's search only finds whole words: try fewer or other ones, search_operator or, or " + findName + " for parts of words."
	}
	next := ""
	if remaining > 0 {
		answer.NextCursor = h.site.encodeCursor(searchName, onward)
		next = goOn(remaining, answer.NextCursor)
	}
	notes := append([]string{next, shared}, h.notes...)
	answer.Note = sentences(notes...)
	if shown == 0 {
		answer.Note = sentences(first, answer.Note)
	}
	lines = append([]string{sentences(first, sentences(notes...))}, lines...)
	return paginated(tools.Result{Text: strings.Join(lines, "\n"), Structured: answer, Items: shown}, next)
}

// maxExcerpts is the most pages of one search that are read for excerpts.
const maxExcerpts = 10

// excerpts are the lines of pages that have the most of some words, by the pages' ids.
// A page that cannot be read, or that has the words in no field of its own, has none.
func (s *Site) excerpts(ctx context.Context, pages []apiObject, words, site string) map[int]string {
	pages = pages[:min(maxExcerpts, len(pages))]
	texts := make([]string, len(pages))
	_ = each(len(pages), func(n int) error { // a search is answered without them, too
		var i apiObject
		err := s.get(ctx, objectPath(kindPages, pages[n].ID), siteQuery(site, storedText, storedForm), &i)
		if err == nil && i.ID == pages[n].ID {
			texts[n] = i.excerpt(words)
		}
		return nil
	})
	found := make(map[int]string, len(pages))
	for n, page := range pages {
		found[page.ID] = texts[n]
	}
	return found
}

// excerpt returns the line of a page with the most of the words, "" when none has one.
// The title does not count: a row shows it.
func (i apiObject) excerpt(words string) string {
	wanted := strings.Fields(words)
	for n, word := range wanted {
		wanted[n] = folded(word)
	}
	best, most := "", 0
	for _, line := range i.pageLines() {
		found, at := 0, -1
		for _, word := range wanted {
			if where := foldedIndex(line.Text, word); where >= 0 {
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
