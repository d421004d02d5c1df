// Package wagtail has the tools that read a Wagtail site: its pages, images and
// documents, through the site's API v2. Each tool has its definition, its handler and its
// answer in one file.
//
// It knows nothing about HTTP beyond package upstream, about how rich text becomes
// Markdown (package content) or about MCP. Its invariants:
//
//   - nothing is ever written to the site, and the key is only sent to its API;
//   - no request is sent that the API is known to answer with a bare 500, except one
//     for another site or with a filter: only the API knows its sites and its fields;
//   - an answer never shows another page than the one that was named by URL, language
//     or site; if there is no such page, the error says how to list those that exist;
//   - URLs from the API are not followed: their id is used to ask the configured site;
//   - titles, URLs and messages come from strangers: none of their control characters
//     reaches an answer;
//   - a list takes five requests at most; a call that goes through many pages is
//     limited in requests and time, and continues with a cursor.
package wagtail

import "issues-index/tools"

// The names of tools that errors and other tools mention.
const (
	listPagesName     = "wagtail_list_pages"
	listImagesName    = "wagtail_list_images"
	listDocumentsName = "wagtail_list_documents"
	pageDetailsName   = "wagtail_get_page_details"
	searchName        = "wagtail_search_content"
	overviewName      = "wagtail_overview"
	findName          = "wagtail_find_in_pages"

	imageDetailsName    = "wagtail_get_image_details"
	documentDetailsName = "wagtail_get_document_details"
)

// opening tells a client what to know before its first call.
const (
	opening = "This service reads a Wagtail site: wagtail_overview says what is there, wagtail_search_content and " +
		"wagtail_list_pages find pages, wagtail_get_page_details reads one by id, URL or path, wagtail_find_in_pages " +
		"tells who links where. Lists are bounded: go on with cursor, narrow with type, filter, child_of and fields. " +
		"A long page comes in chunks; pass section or fields for a part."
	shortOpening = "wagtail_search_content searches a Wagtail site, wagtail_get_page_details reads one."
)

// Toolset returns the tools that read a site. With a nil site only their definitions can
// be used.
func Toolset(s *Site) tools.Toolset {
	return tools.Toolset{Name: "wagtail", Lead: opening, ShortLead: shortOpening, Tools: []tools.Tool{
		listPages(s),
		pageDetails(s),
		pageHTML(s),
		listImages(s),
		imageDetails(s),
		listDocuments(s),
		documentDetails(s),
		searchContent(s),
		findInPages(s),
		overviewOf(s),
	}}
}

// narrows makes a tool read-only and strict: an argument that it does not know would have narrowed
// what it shows, and without it the answer would be about more than was asked for.
func narrows(t tools.Tool) tools.Tool {
	t.Strict = true
	t.Also = map[string][]string{"filter": {"filters", "where"}}
	return readOnly(t)
}

// readOnly sets the hints that all tools of the set have.
func readOnly(t tools.Tool) tools.Tool {
	t.ReadOnly, t.Idempotent, t.OpenWorld = true, true, true
	return t
}
