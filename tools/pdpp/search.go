package pdpp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"issues-index/store/words"
	"issues-index/tools"
)

// searchPaths are the endpoints of the modes.
var searchPaths = map[string]string{"": "/v1/search", "lexical": "/v1/search", "semantic": "/v1/search/semantic", "hybrid": "/v1/search/hybrid"}

// A searchHit is a record that was found.
type searchHit struct {
	RecordKey    word     `json:"record_key"`
	Stream       string   `json:"stream"`
	ConnectionID string   `json:"connection_id"`
	RecordURL    string   `json:"record_url"`
	Matched      []string `json:"matched_fields"`
	Snippet      struct {
		Field string `json:"field"`
		Text  string `json:"text"`
	} `json:"snippet"`
	Evidence []struct {
		Field string `json:"field_path"`
		Text  string `json:"preview_text"`
	} `json:"evidence_excerpts"`
}

// A searchResult is a hit as document clients expect it: an id that fetch takes, a title
// and an address. Where room is short it has only the id.
type searchResult struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	URL   string `json:"url,omitempty"`
}

func search(c *Client) tools.Tool {
	return reading(tools.Tool{
		NeedsObject: true,
		Name:        "search",
		Description: "Search the text of the granted records: GET /v1/search, with mode /v1/search/semantic or /hybrid. Read-only. " +
			"Ids of results go to fetch." + served + " Narrow with streams and limit; cursor goes on, but not in hybrid.",
		Input: tools.ObjectSchema(`"q":`+anyText+`,"streams":`+anyTexts+`,"limit":{"type":"integer","minimum":1,"maximum":100},"cursor":`+anyText+
			`,"mode":{"type":"string","enum":["lexical","semantic","hybrid"]},`+filterInput+`,"connection_id":`+anyText, "q"),
		Output: answered(`"results":{"type":"array","items":{"type":"object","properties":{"id":` + anyText + `,"title":` + anyText + `,"url":` + anyText + `},"required":["id"]}}`),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			query := url.Values{"q": {args.Required("q")}, "streams": givenNames(args, "streams")}
			for _, stream := range query["streams"] {
				checkName(args, "streams", stream)
			}
			mode := args.Enum("mode", "lexical", "semantic", "hybrid")
			readLimit(args, query)
			readTexts(args, query, "cursor")
			readConnection(args, query)
			readFilter(args, query)
			if mode == "hybrid" && query.Has("cursor") {
				args.Fail(tools.Errorf(tools.CodeInvalidCursor, "The mode hybrid has no pages, so it takes no cursor.").On("cursor").
					Try("Leave the cursor out and pass a larger limit (at most %d), or pass mode lexical.", maxLimit))
			}
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			return c.fitted(ctx, args, listRequest{
				path: searchPaths[mode], query: query, last: hitsAreIDs, noPages: mode == "hybrid" || mode == "semantic",
				preview: hitPreview, show: func(p *listPage, level int) pageView { return c.hits(args, p, level) },
			})
		},
	})
}

// The levels at which hits are shown: each leaves out more of them.
const (
	noExcerpts = iota + 1 // which snippets repeat in short
	noSnippets
	hitsAreIDs // in results; data is empty
)

var leftOut = map[int]string{
	noExcerpts: "The hits' evidence_excerpts are left out to fit; fetch reads a record.",
	noSnippets: "The hits' snippets and evidence_excerpts are left out to fit; fetch reads a record.",
	hitsAreIDs: "Each hit has only its id here, to fit; fetch reads a record.",
}

// hits shows a page of hits, at level 0 as the RS gave them.
func (c *Client) hits(args *tools.Args, p *listPage, level int) pageView {
	body := struct {
		envelope
		Results []searchResult `json:"results"`
	}{c.envelope(p.response), []searchResult{}}
	notes := p.notes("search", args)
	if level > 0 {
		notes = append(notes, leftOut[level])
		body.Data = withRows(p.response.Body)
		if less := []string{"evidence_excerpts", "snippet"}; level < hitsAreIDs {
			var rows []json.RawMessage
			for _, raw := range p.Rows {
				rows = append(rows, without(raw, less[:level]...))
			}
			body.Data = withRows(p.response.Body, rows...)
		}
	}
	if complete := p.Meta.Recall.Complete; complete != nil && !*complete {
		notes = append(notes, "The search did not look everywhere (recall.complete is false), so more may match.")
	}
	body.Note = strings.Join(notes, " ")
	for _, raw := range p.Rows {
		var h searchHit
		if !read(raw, &h) || h.RecordKey == "" {
			continue
		}
		found := searchResult{ID: h.handle().String()}
		if level < hitsAreIDs {
			found.Title, found.URL = h.title(), c.recordURL(h)
		}
		body.Results = append(body.Results, found)
	}
	heading := words.Count(len(p.Rows), "hit")
	if total := p.total(); total != "" {
		heading = fmt.Sprintf("%d of %s hits", len(p.Rows), total)
	}
	if len(p.Rows) == 0 {
		heading = "No hits: try other words, another mode, or query_records"
	}
	text, hidden := p.text("search", args, heading, notes)
	return pageView{tools.Result{Text: text, Structured: body, Items: len(p.Rows)}, hidden}
}

func (h searchHit) handle() handle {
	return handle{connection: h.ConnectionID, stream: h.Stream, record: string(h.RecordKey)}
}

// marks stand around the words that matched; a model needs none.
var marks = strings.NewReplacer("<mark>", "", "</mark>", "")

// matched returns a text of the hit and its field, both "" when the RS gave none: nothing
// is made up.
func (h searchHit) matched() (field, text string) {
	if h.Snippet.Text != "" {
		return h.Snippet.Field, tools.Line(marks.Replace(h.Snippet.Text))
	}
	for _, e := range h.Evidence {
		if e.Text != "" {
			return e.Field, tools.Line(marks.Replace(e.Text))
		}
	}
	return "", ""
}

// hitPreview returns the preview of a row, which may be no hit.
func hitPreview(row json.RawMessage) preview {
	var h searchHit
	if !read(row, &h) || h.RecordKey == "" {
		return preview{"", brief(row, mostPreview)}
	}
	field, text := h.matched()
	if text == "" {
		return preview{h.handle().String(), "(metadata only)"}
	}
	line := escaped(field) + ": " + words.CutBytes(text, fieldPreview)
	if len(h.Matched) > 1 {
		line += " (matched " + someOf(h.Matched) + ")"
	}
	return preview{h.handle().String(), line}
}

// title returns what to call the hit: its own title when that matched, else its key.
func (h searchHit) title() string {
	if field, text := h.matched(); text != "" && slices.Contains(titleFields, field) {
		return words.CutBytes(text, maxTitle)
	}
	return h.handle().title()
}

// recordURL returns the address of the hit's record.
func (c *Client) recordURL(h searchHit) string {
	path := h.RecordURL
	if !strings.HasPrefix(path, "/") {
		path = h.handle().path()
	}
	return strings.TrimRight(c.provider, "/") + path
}
