package wagtail

import (
	"context"
	"net/url"
	"strings"

	"issues-index/tools"
)

func listPages(s *Site) tools.Tool {
	return narrows(tools.Tool{
		Name: listPagesName,
		Description: "List or filter pages of the Wagtail site, in tree order. Read-only. " +
			"child_of, descendant_of, ancestor_of and translation_of take an id, path or URL; root is the home page. " +
			"filter, fields and order of a page type need that one type; fields nest: author(name). limit 0 counts. Go on " +
			"with cursor alone.",
		Input: schemaOf("type type, search text, slug text, locale text, child_of text, descendant_of text, " +
			"ancestor_of text, translation_of text, " +
			"site site, filter filter, fields texts, order order, offset number, limit number, cursor text"),
		Output: schemaOf("pages rows*, totalCount number*, nextCursor text, note text"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			query := url.Values{}
			set(query, "type", names(args, "type"))
			set(query, "search", searchWords(args, "search"))
			set(query, "slug", strings.Trim(text(args, "slug"), "/"))
			set(query, "locale", text(args, "locale"))
			for _, name := range treeFilters {
				set(query, name, treePage(args, name))
			}
			set(query, "site", s.otherSite(args))
			set(query, "filter", filters(args))
			set(query, "fields", readFields(args, pageIdentity+",first_published_at", false))
			set(query, "order", names(args, "order"))
			return s.read(ctx, args, listPagesName, kindPages, query)
		},
	})
}

const fileInput = "search text, tags texts, filter filter, fields texts, order text, offset number, limit " +
	"number, cursor text"

func listImages(s *Site) tools.Tool {
	return narrows(tools.Tool{
		Name: listImagesName,
		Description: "List images of the Wagtail site with their titles, tags and addresses, by search or by tags (all " +
			"of them). Read-only. " +
			"fields: width,height adds their sizes.",
		Input:  schemaOf(fileInput),
		Output: schemaOf("images rows*, totalCount number*, nextCursor text, note text"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			return s.read(ctx, args, listImagesName, kindImages, fileQuery(args))
		},
	})
}

func listDocuments(s *Site) tools.Tool {
	return narrows(tools.Tool{
		Name: listDocumentsName,
		Description: "List downloadable documents of the Wagtail site (PDF and the like) with their titles, tags and " +
			"addresses. Read-only. " +
			"Narrow by search or by tags, not both. endpoint: list that one of the same API instead, such as redirects or " +
			"snippets.",
		Input:  schemaOf("endpoint text, " + fileInput),
		Output: schemaOf("documents rows*, totalCount number*, nextCursor text, note text"),
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
	set(query, "tags", names(args, "tags"))
	set(query, "filter", filters(args))
	set(query, "fields", readFields(args, fileIdentity, false))
	set(query, "order", names(args, "order"))
	return query
}
