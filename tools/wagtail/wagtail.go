// Package wagtail is the toolset over a Wagtail site: an agent reads its pages,
// images and documents through the site's API v2. One file a tool, each with its
// definition, its handler and its answer in both channels.
//
// It knows nothing about HTTP beyond package upstream, about how rich text
// becomes Markdown (package content) or about MCP. Its invariants:
//
//   - nothing is ever written to the site, and the key goes to its API alone;
//   - no request is sent that the API is known to answer with a bare 500, except one
//     for another site: only the API knows which there are;
//   - no page is answered with for another one: what was named by an address, with a
//     language or of a site is that page, or an error that says what there is;
//   - addresses that the API gives are not followed: an id is taken out of them,
//     and the configured site is asked;
//   - titles, addresses and messages come from strangers: no control character
//     of theirs reaches an answer;
//   - a list fetches no more than it may show, in five requests at most; what goes
//     through many pages has bounds of its own, in requests and in time, and goes on
//     with a cursor.
package wagtail

import (
	"issues-index/tools"
)

// The names of the tools that others name.
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

// opening is what a client must know before its first call of the tools.
const (
	opening = "This service reads a Wagtail site: wagtail_overview says what is there, wagtail_search_content and wagtail_list_pages find pages, " +
		"wagtail_get_page_details reads one by id, URL or path, wagtail_find_in_pages tells who links where. Lists are bounded: go on with cursor, narrow with type, filter, child_of and fields. " +
		"A long page comes in chunks; pass section or fields for a part."
	shortOpening = "wagtail_search_content searches a Wagtail site, wagtail_get_page_details reads one."
)

// Toolset returns the tools that read a site. Without one it is good for its
// definitions alone.
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

// Fragments of JSON schema that several tools share.
const (
	anyText   = `{"type":"string"}`
	anyTexts  = `{"type":"array","items":` + anyText + `}`
	number    = `{"type":"integer"}`
	someRows  = `{"type":"array","items":` + someRow + `}`
	someRow   = `{"type":"object","properties":{"id":` + number + `,"title":` + anyText + `},"required":["id"]}`
	pageInput = `"limit":` + number + `,"cursor":` + anyText
)

// reading are the hints of every tool of the set.
func reading(t tools.Tool) tools.Tool {
	t.ReadOnly, t.Idempotent, t.OpenWorld = true, true, true
	return t
}
