package wagtail

import (
	"context"
	"net/url"
	"strings"

	"issues-index/tools"
)

const listOutput = `"totalCount":` + number + `,"nextCursor":` + anyText + `,"note":` + anyText

func listPages(s *Site) tools.Tool {
	return narrows(tools.Tool{
		Name: listPagesName,
		Description: "List or filter pages of the Wagtail site, in tree order. Read-only. " +
			"child_of, descendant_of, ancestor_of and translation_of take an id, path or URL; root is the home page. " +
			"filter, fields and order of a page type need that one type; fields nest: author(name). limit 0 counts. Go on with cursor alone.",
		Input: tools.ObjectSchema(`"type":{"type":"string","description":"app_label.ModelName, several with commas"},"search":` + anyText +
			`,"slug":` + anyText + `,"locale":` + anyText + `,"child_of":` + anyText + `,"descendant_of":` + anyText +
			`,"ancestor_of":` + anyText + `,"translation_of":` + anyText +
			`,"site":{"type":"string","description":"host of another site of this Wagtail"},` + filterSchema +
			`,"fields":` + anyTexts + `,"order":{"type":"string","description":"such as -first_published_at"},"offset":` + number +
			`,` + pageInput),
		Output: tools.ObjectSchema(`"pages":`+someRows+`,`+listOutput, "pages", "totalCount"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			query := url.Values{}
			set(query, "type", pageTypes(args, "type"))
			set(query, "search", searchWords(args, "search"))
			set(query, "slug", strings.Trim(text(args, "slug"), "/"))
			set(query, "locale", locale(args))
			for _, name := range treeFilters {
				set(query, name, treePage(args, name))
			}
			set(query, "site", s.otherSite(args))
			set(query, "filter", filters(args))
			set(query, "fields", readFields(args, pageIdentity+",first_published_at", false))
			set(query, "order", orders(args, "order"))
			return s.read(ctx, args, listPagesName, kindPages, query)
		},
	})
}

const fileInput = `"search":` + anyText + `,"tags":` + anyTexts + `,` + filterSchema + `,"fields":` + anyTexts + `,"order":` + anyText +
	`,"offset":` + number + `,` + pageInput

func listImages(s *Site) tools.Tool {
	return narrows(tools.Tool{
		Name: listImagesName,
		Description: "List images of the Wagtail site with their titles, tags and addresses, by search or by tags (all of them). Read-only. " +
			"fields: width,height adds their sizes.",
		Input:  tools.ObjectSchema(fileInput),
		Output: tools.ObjectSchema(`"images":`+someRows+`,`+listOutput, "images", "totalCount"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			return s.read(ctx, args, listImagesName, kindImages, fileQuery(args))
		},
	})
}

func listDocuments(s *Site) tools.Tool {
	return narrows(tools.Tool{
		Name: listDocumentsName,
		Description: "List downloadable documents of the Wagtail site (PDF and the like) with their titles, tags and addresses. Read-only. " +
			"Narrow by search or by tags, not both. endpoint: list that one of the same API instead, such as redirects or snippets.",
		Input:  tools.ObjectSchema(endpointSchema + `,` + fileInput),
		Output: tools.ObjectSchema(`"documents":`+someRows+`,`+listOutput, "documents", "totalCount"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			query := fileQuery(args)
			if set(query, "endpoint", endpoint(args)); query.Has("endpoint") {
				query.Del("fields")
				set(query, "fields", readFields(args, objectIdentity, false))
			}
			return s.read(ctx, args, listDocumentsName, kindDocuments, query)
		},
	})
}

// fileQuery reads the arguments of both lists of files.
func fileQuery(args *tools.Args) url.Values {
	query := url.Values{}
	set(query, "search", searchWords(args, "search"))
	set(query, "tags", sendable(args, "tags", strings.Join(args.Names("tags"), ",")))
	set(query, "filter", filters(args))
	set(query, "fields", readFields(args, fileIdentity, false))
	set(query, "order", orders(args, "order"))
	return query
}
