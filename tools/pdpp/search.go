package pdpp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"issues-index/tools"
)

// searchPaths are the endpoints of the modes.
var searchPaths = map[string]string{"": "/v1/search", "lexical": "/v1/search", "semantic": "/v1/search/semantic", "hybrid": "/v1/search/hybrid"}

// A hit is a record that was found.
type hit struct {
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

// A result is a hit as document clients have it: an id that fetch takes, a title and
// an address, both unless there is room for ids alone.
type result struct {
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
			query := url.Values{}
			query.Set("q", args.Required("q"))
			for _, stream := range givenNames(args, "streams") {
				checkName(args, "streams", stream)
				query.Add("streams", stream)
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
			return c.fitted(ctx, args, listing{path: searchPaths[mode], query: query, last: lastHits, show: func(p *page, level int) view {
				return c.found(args, p, level)
			}, whole: mode == "hybrid" || mode == "semantic"})
		},
	})
}

// The levels of found.
const (
	withoutExcerpts = iota + 1 // which snippets repeat in short
	withoutSnippets
	lastHits // with ids alone
)

// found shows a page of hits, at level 0 as the RS gave them.
func (c *Client) found(args *tools.Args, p *page, level int) view {
	body := struct {
		envelope
		Results []result `json:"results"`
	}{envelope: c.envelope(p.answer), Results: []result{}}
	notes := p.notes("search", args)
	if level > 0 {
		body.Data = withRows(p.answer.Body, cutHits(p.Rows, level)...)
		notes = append(notes, []string{
			withoutExcerpts: "The hits' evidence_excerpts are left out to fit; fetch reads a record.",
			withoutSnippets: "The hits' snippets and evidence_excerpts are left out to fit; fetch reads a record.",
			lastHits:        "Each hit has only its id here, to fit; fetch reads a record.",
		}[level])
	}
	if complete := p.Meta.Recall.Complete; complete != nil && !*complete {
		notes = append(notes, "The search did not look everywhere (recall.complete is false), so more may match.")
	}
	body.Note = sentences(notes)
	var rows []preview
	for _, raw := range p.Rows {
		var h hit
		if !read(raw, &h) || h.RecordKey == "" {
			rows = append(rows, preview{"", brief(raw, mostPreview)})
			continue
		}
		one := result{ID: h.id(), Title: h.title(), URL: c.recordURL(h)}
		if level == lastHits {
			one = result{ID: h.id()}
		}
		rows = append(rows, preview{h.id(), h.preview()})
		body.Results = append(body.Results, one)
	}
	first := count(len(p.Rows), "hit")
	if total := p.total(); total != "" {
		first = fmt.Sprintf("%d of %s hits", len(p.Rows), total)
	}
	if len(p.Rows) == 0 {
		first = "No hits: try other words, another mode, or query_records"
	}
	text, hidden := p.text("search", args, first, rows, notes)
	return view{tools.Result{Text: text, Structured: body, Items: len(rows)}, hidden}
}

// cutHits are hits that say less. At the last level results has them alone.
func cutHits(rows []json.RawMessage, level int) []json.RawMessage {
	less := []string{"evidence_excerpts"}
	if level == withoutSnippets {
		less = append(less, "snippet")
	}
	cut := []json.RawMessage{}
	for _, raw := range rows {
		if level < lastHits {
			cut = append(cut, without(raw, less...))
		}
	}
	return cut
}

// id is what fetch takes for the hit.
func (h hit) id() string {
	return handle{connection: h.ConnectionID, stream: h.Stream, record: string(h.RecordKey)}.String()
}

// marks are around what matched; a model needs none.
var marks = strings.NewReplacer("<mark>", "", "</mark>", "")

// matched is a text of the hit and the field that it is of, both "" when the RS gave
// none: nothing is made up in its place.
func (h hit) matched() (field, text string) {
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

// preview is the hit on one line.
func (h hit) preview() string {
	field, text := h.matched()
	if text == "" {
		return "(metadata only)"
	}
	line := escaped(field) + ": " + shorten(text, fieldPreview)
	if len(h.Matched) > 1 {
		line += " (matched " + someOf(h.Matched) + ")"
	}
	return line
}

// title is what to call the hit: its own title where that matched, else its key.
func (h hit) title() string {
	field, text := h.matched()
	for _, name := range titles {
		if field == name && text != "" {
			return shorten(text, 120)
		}
	}
	return handle{stream: h.Stream, record: string(h.RecordKey)}.title()
}

// recordURL is the address of the hit's record.
func (c *Client) recordURL(h hit) string {
	path := h.RecordURL
	if !strings.HasPrefix(path, "/") {
		path = handle{stream: h.Stream, record: string(h.RecordKey)}.path()
	}
	return strings.TrimRight(c.provider, "/") + path
}

// without is a JSON object without some of its members.
func without(raw json.RawMessage, names ...string) json.RawMessage {
	if len(members(raw)) == 0 {
		return raw
	}
	return object(slices.DeleteFunc(members(raw), func(m member) bool { return slices.Contains(names, m.name) }))
}
