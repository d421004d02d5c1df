package wagtail

import (
	"context"
	"net/url"

	"issues-index/tools"
)

const listedOutput = `"totalCount":` + number + `,"nextCursor":` + anyText + `,"note":` + anyText

func listPages(s *Site) tools.Tool {
	return reading(tools.Tool{
		Name: listPagesName,
		Description: "List or filter pages of the Wagtail site, in tree order. Read-only. " +
			"child_of, descendant_of, ancestor_of and translation_of take an id, path or URL; root is the home page. " +
			"filter, fields and order of a page type need that one type; fields nest: author(name). limit 0 counts. Go on with cursor alone.",
		Input: tools.ObjectSchema(`"type":{"type":"string","description":"app_label.ModelName, several with commas"},"search":` + anyText +
			`,"slug":` + anyText + `,"locale":` + anyText + `,"child_of":` + anyText + `,"descendant_of":` + anyText +
			`,"ancestor_of":` + anyText + `,"translation_of":` + anyText + `,"site":{"type":"string","description":"host of another site of this Wagtail"}` +
			`,` + filterSchema + `,"fields":` + anyTexts + `,"order":{"type":"string","description":"such as -first_published_at"},"offset":` + number + `,` + pageInput),
		Output: tools.ObjectSchema(`"pages":`+someRows+`,"types":`+anyTexts+`,`+listedOutput, "pages", "totalCount"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			return s.read(ctx, args, listPagesName, kindPages, func() url.Values {
				query := url.Values{}
				set(query, "type", pageTypes(args, "type"))
				set(query, "search", words(args, "search"))
				set(query, "slug", slug(args))
				set(query, "locale", locale(args))
				for _, name := range treeFilters {
					set(query, name, treePage(args, name))
				}
				set(query, "site", s.otherSite(args))
				set(query, "filter", filters(args))
				set(query, "fields", readFields(args, pageIdentity+",first_published_at", false))
				set(query, "order", orders(args, "order"))
				return query
			})
		},
	})
}
