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
	t := narrows(tools.Tool{
		Name: searchName,
		Description: "Search the Wagtail site: pages, images and documents at once. Read-only. Whole words, all of them; " +
			"limit is per kind. type and site (another host of this Wagtail) narrow to pages.",
		Input: tools.ObjectSchema(`"query":` + anyText +
			`,"kinds":{"type":"array","items":{"type":"string","enum":["pages","images","documents"]}},"type":` + anyText +
			`,"site":` + anyText + `,` + pageInput),
		Output: tools.ObjectSchema(`"pages":`+someRows+`,"images":`+someRows+`,"documents":`+someRows+
			`,"totals":{"type":"object","properties":{}},"nextCursor":`+anyText+`,"note":`+anyText, "pages", "images", "documents", "totals"),
		Handle: s.search,
	})
	t.Instead = map[string]string{
		"search_operator": "All words have to match: search for one of them at a time.",
		"excerpts":        "Use " + findName + " {text} for the lines that have a text.",
	}
	return t
}

// search asks for each kind and merges the answers. A kind that fails is named; if all
// fail, that is an error.
func (s *Site) search(ctx context.Context, args *tools.Args) (tools.Result, error) {
	query, again := resumed(args, searchName, s.readSearch(args))
	if query.Get("query") == "" {
		args.Required("query")
	}
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	limit := searchSize
	if query.Has("limit") {
		limit = min(numberOf(query, "limit"), args.Settings().MaxPageSize)
	}
	wanted := slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool {
		onlyPages := !query.Has("kinds") && (query.Has("type") || query.Has("site"))
		return query.Has("kinds") && !slices.Contains(strings.Split(query.Get("kinds"), ","), kind) ||
			onlyPages && kind != kindPages || again && !query.Has(kind) // all of it was shown
	})
	if len(wanted) == 0 {
		return tools.Result{}, invalid("cursor", args.String("cursor"), ": nothing follows it", "Start again without a cursor.")
	}
	h := searchResults{site: s, query: query, parts: make([]objectBatch, len(wanted)), kinds: wanted, failures: make([]error, len(wanted))}
	_ = each(len(wanted), func(n int) error {
		asked := url.Values{"search": {query.Get("query")}}
		if wanted[n] == kindPages {
			set(asked, "type", query.Get("type"))
			set(asked, "site", query.Get("site"))
		}
		h.parts[n], h.failures[n] = s.fill(ctx, wanted[n], asked, limit, numberOf(query, wanted[n]), func(b objectBatch) bool {
			alone := searchResults{site: s, query: query, parts: []objectBatch{b}, kinds: wanted[n : n+1], failures: []error{nil}}
			return args.Fits(alone.show(len(b.items), 0))
		})
		return nil
	})
	if !slices.Contains(h.failures, nil) {
		return tools.Result{}, s.advised(ctx, h.failures[0], wanted[0], url.Values{})
	}
	most := 1
	for _, b := range h.parts {
		most = max(most, len(b.items))
	}
	return fewer(args, most, h.show), nil
}

// readSearch reads the arguments, under the names that the cursor has for them.
func (s *Site) readSearch(args *tools.Args) url.Values {
	query := url.Values{}
	set(query, "query", searchWords(args, "query"))
	set(query, "kinds", strings.Join(args.Enums("kinds", kinds...), ","))
	set(query, "type", pageTypes(args, "type"))
	set(query, "site", s.otherSite(args))
	if query.Has("type") && query.Has("kinds") && !strings.Contains(query.Get("kinds"), kindPages) {
		args.Fail(tools.Errorf(tools.CodeValidation, "Only pages have a type.").On("type").Try("Leave out type, or add pages to kinds."))
	}
	if args.Has("limit") {
		query.Set("limit", strconv.Itoa(limitOf(args, 1, args.Settings().MaxPageSize)))
	}
	return query
}

// searchResults are the results of a search by kind, to be shown.
type searchResults struct {
	site     *Site
	query    url.Values
	kinds    []string
	parts    []objectBatch
	failures []error // nil for a kind that was searched
}

// show answers with at most n rows of each kind. The rows have no fields that could be cut.
func (h searchResults) show(n, _ int) tools.Result {
	answer := searchAnswer{Pages: []listRow{}, Images: []listRow{}, Documents: []listRow{}, Totals: map[string]int{}}
	onward := maps.Clone(h.query)
	for _, kind := range kinds {
		onward.Del(kind)
	}
	var lines, counts, notes []string
	remaining, shown, matches := 0, 0, 0
	for part, b := range h.parts {
		kind := h.kinds[part]
		if err := h.failures[part]; err != nil {
			notes = append(notes, fmt.Sprintf("The %s could not be searched: %s", kind, words.Cut(tools.ErrorOf(err).Message, 200)))
			continue
		}
		rows := h.site.rows(kind, b.items[:min(n, len(b.items))], nil, h.query.Has("site"))
		answer.Totals[kind] = b.total
		switch kind {
		case kindPages:
			answer.Pages = rows
		case kindImages:
			answer.Images = rows
		case kindDocuments:
			answer.Documents = rows
		}
		shown, matches = shown+len(rows), matches+b.total
		counts = append(counts, fmt.Sprintf("%d of %d %s", len(rows), b.total, kind))
		if offset, more := b.next(len(rows)); more {
			onward.Set(kind, strconv.Itoa(offset))
			remaining += b.total - offset
		}
		if len(rows) > 0 {
			lines = append(lines, strings.ToUpper(kind[:1])+kind[1:]+":")
		}
		for _, r := range rows {
			lines = append(lines, r.text())
		}
		notes = append(notes, b.sizeNote(kind))
	}
	first := "Showing " + strings.Join(counts, ", ") + "."
	if matches == 0 {
		first = "Nothing matches. The site's search only finds whole words: try fewer or other ones, or " + findName + " for parts of words."
	}
	next := ""
	if remaining > 0 {
		answer.NextCursor = encodeCursor(searchName, onward)
		next = goOn(remaining, answer.NextCursor)
	}
	answer.Note = sentences(next, sentences(notes...))
	lines = append([]string{sentences(first, answer.Note)}, lines...)
	if shown == 0 {
		answer.Note = lines[0]
	}
	return paginated(tools.Result{Text: strings.Join(lines, "\n"), Structured: answer, Items: shown}, next)
}
