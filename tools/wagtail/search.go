package wagtail

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"issues-index/tools"
)

// searchSize is how many rows of each kind a search shows without a limit.
const searchSize = 10

// kinds are the kinds of objects that a search covers, in the order of its answer.
var kinds = []string{kindPages, kindImages, kindDocuments}

func searchContent(s *Site) tools.Tool {
	t := narrows(tools.Tool{
		Name: searchName,
		Description: "Search the Wagtail site: pages, images and documents at once. Read-only. Whole words, all of them; " +
			"limit is per kind. type and site (another host of this Wagtail) narrow to pages.",
		Input:  schemaOf("query text, kinds kinds, type text, site text, limit number, cursor text"),
		Output: schemaOf("pages rows*, images rows*, documents rows*, totals object*, nextCursor text, note text"),
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
	query := url.Values{}
	set(query, "query", searchWords(args, "query"))
	set(query, "kinds", strings.Join(args.Enums("kinds", kinds...), ","))
	set(query, "type", names(args, "type"))
	set(query, "site", s.otherSite(args))
	setLimit(args, query)
	query, again := resumed(args, searchName, query)
	if query.Get("query") == "" {
		args.Required("query")
	}
	onlyPages := query.Has("type") || query.Has("site")
	if onlyPages && query.Has("kinds") && !strings.Contains(query.Get("kinds"), kindPages) {
		args.Fail(tools.Errorf(tools.CodeValidation, "Only pages have a type and a site.").On("type").
			Try("Leave out type and site, or add pages to kinds."))
	}
	wanted := slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool {
		asked := !query.Has("kinds") && (kind == kindPages || !onlyPages) || strings.Contains(query.Get("kinds"), kind)
		return !asked || again && !query.Has(kind) // all of it was shown
	})
	if len(wanted) == 0 {
		args.Fail(invalid("cursor", args.String("cursor"), ": nothing follows it", "Start again without a cursor."))
	}
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	limit := max(1, limitIn(args, query, searchSize))
	l := &listing{tool: searchName, query: query, parts: make([]listPart, len(wanted))}
	_ = each(len(wanted), func(n int) error {
		p := listPart{kind: wanted[n], position: wanted[n]}
		asked := url.Values{"search": {query.Get("query")}}
		if p.kind == kindPages {
			set(asked, "type", query.Get("type"))
			set(asked, "site", query.Get("site"))
		}
		p.objectBatch, p.failure = s.fill(ctx, p.kind, asked, limit, numberOf(query, p.kind))
		p.rows = s.rows(p.kind, p.items, nil, asked.Has("site"))
		l.parts[n] = p
		return nil
	})
	if !slices.ContainsFunc(l.parts, func(p listPart) bool { return p.failure == nil }) {
		return tools.Result{}, s.advised(ctx, l.parts[0].failure, wanted[0], url.Values{})
	}
	return l.answer(args), nil
}
