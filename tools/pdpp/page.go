package pdpp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"issues-index/tools"
)

// A page is a list as the RS answers it.
type page struct {
	Rows        []json.RawMessage `json:"data"`
	HasMore     bool              `json:"has_more"`
	NextCursor  word              `json:"next_cursor"`
	NextChanges word              `json:"next_changes_since"`
	Links       struct {
		Next string `json:"next"`
	} `json:"links"`
	Meta struct {
		Count    json.RawMessage `json:"count"`
		Accuracy string          `json:"count_accuracy"`
		Warnings []warning       `json:"warnings"`
		Recall   struct {
			Complete *bool `json:"complete"`
		} `json:"recall"`
	} `json:"meta"`

	answer *answer
	asked  int // rows that were asked for before the page was made smaller; 0 when it was not
}

// A warning says what the RS did otherwise than it was asked.
type warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Param   string `json:"param"`
}

// UnmarshalJSON reads a warning, or the text of one.
func (w *warning) UnmarshalJSON(raw []byte) error {
	if text, ok := textOf(raw); ok {
		w.Message = text
		return nil
	}
	type plain warning
	read(raw, (*plain)(w))
	if w.Code == "" && w.Message == "" {
		w.Message = compact(raw)
	}
	return nil
}

// list asks for a list.
func (c *Client) list(ctx context.Context, path string, query url.Values) (*page, error) {
	a, err := c.get(ctx, path, query)
	if err != nil {
		return nil, err
	}
	p := &page{answer: a}
	if !read(a.Body, p) || p.Rows == nil {
		return nil, tools.Errorf(tools.CodeProvider, "The resource server's list has not the form of one.").
			Try("Ask the user whether %s is a PDPP resource server of a known version.", c.provider)
	}
	return p, nil
}

// A show makes an answer of a page. At level 0 it is all of it; above, the long texts
// of a lone row are cut, the more the higher.
type show func(p *page, level int) tools.Result

// fitted asks for a list and, while what becomes of it does not fit, for a shorter
// one: so has_more and next_cursor stay true. Only one row that is too large in itself
// is cut.
func (c *Client) fitted(ctx context.Context, args *tools.Args, path string, query url.Values, shown show) (tools.Result, error) {
	p, err := c.list(ctx, path, query)
	if err != nil {
		return tools.Result{}, err
	}
	r := shown(p, 0)
	whole, asked := r.Size(), len(p.Rows)
	limit := max(1, min(asked-1, asked*args.Budget().Bytes*9/10/max(whole, 1)))
	for len(p.Rows) > 1 && !args.Fits(r) && args.Budget().Pagination {
		query.Set("limit", strconv.Itoa(limit))
		if p, err = c.list(ctx, path, query); err != nil {
			return tools.Result{}, err
		}
		if len(p.Rows) >= asked { // of a server that takes no notice of it
			break
		}
		p.asked = asked
		r = shown(p, 0)
		r.Outcome, r.Original = tools.OutcomePaginated, whole
		if limit == 1 {
			break
		}
		limit = max(1, limit/2)
	}
	if len(p.Rows) != 1 || args.Fits(r) {
		return r, nil
	}
	r = args.Smaller(len(shorter), func(level int) tools.Result { return shown(p, level) })
	r.Original = max(r.Original, whole)
	return r, nil
}

// total is the number of all that there are, as the RS counted it, "" when it did not.
func (p *page) total() string {
	var number word
	if json.Unmarshal(p.Meta.Count, &number) == nil && number != "" {
		return tools.Plain(string(number)) + accuracy(p.Meta.Accuracy)
	}
	var counted struct {
		Kind  string `json:"kind"`
		Value word   `json:"value"`
	}
	if read(p.Meta.Count, &counted) && counted.Value != "" {
		return tools.Plain(string(counted.Value)) + accuracy(counted.Kind)
	}
	return ""
}

func accuracy(kind string) string {
	if kind == "" || kind == "exact" {
		return ""
	}
	return " (" + tools.Plain(kind) + ")"
}

// linked is an argument that the RS's own link to the next page has, "" when not.
func (p *page) linked(argument string) string {
	link, err := url.Parse(p.Links.Next)
	if err != nil {
		return ""
	}
	return link.Query().Get(argument)
}

// cursor is that of the next page, "" when there is none.
func (p *page) cursor() string { return cmp.Or(string(p.NextCursor), p.linked("cursor")) }

// changes are what the next page is asked with besides its cursor: where the RS's own
// link has a later changes_since, that one.
func (p *page) changes() []member {
	list := []member{cursorTo(p.cursor())}
	if since := p.linked("changes_since"); since != "" {
		list = append(list, member{"changes_since", encode(since)})
	}
	return list
}

// shrunk says that a page is shorter than what was asked for, "" when it is not.
func (p *page) shrunk() string {
	if p.asked == 0 {
		return ""
	}
	return fmt.Sprintf("The page was asked for again with %s in place of %d, so that it fits.", count(len(p.Rows), "row"), p.asked)
}

// maxWarnings and maxWarning bound the warnings of a text, in number and in bytes.
const (
	maxWarnings = 3
	maxWarning  = 160
)

// warnings are the lines of them.
func warnings(list []warning) (lines []string) {
	for i, w := range list {
		if i == maxWarnings {
			return append(lines, fmt.Sprintf("and %d more warnings", len(list)-i))
		}
		line := "Warning"
		if w.Code != "" {
			line += " " + tools.Plain(w.Code)
		}
		lines = append(lines, strings.TrimSpace(line+": "+shorten(tools.Line(w.Message), maxWarning)))
	}
	return lines
}
