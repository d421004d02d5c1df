package pdpp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
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

	answer *response
	asked  int  // rows that were asked for before the page was made smaller; 0 when it was not
	pinned bool // the next page is to have as many rows as this one
	left   int  // rows that are left out of it, though no call has them
	room   int  // bytes of its text; 0 stands for maxSummary
	stays  bool // its text has to lead to ids that it hides, not to the next page
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

// maxTotal bounds a figure, or another word of the RS in our sentences, in bytes.
const maxTotal = 80

// total is the number of all that there are, as the RS counted it, "" when it did not.
func (p *page) total() string {
	var number word
	if json.Unmarshal(p.Meta.Count, &number) == nil && number != "" {
		return shorten(escaped(string(number)), maxTotal) + accuracy(p.Meta.Accuracy)
	}
	var counted struct {
		Kind  string `json:"kind"`
		Value word   `json:"value"`
	}
	if read(p.Meta.Count, &counted) && counted.Value != "" {
		return shorten(escaped(string(counted.Value)), maxTotal) + accuracy(counted.Kind)
	}
	return ""
}

func accuracy(kind string) string {
	if kind == "" || kind == "exact" {
		return ""
	}
	return " (" + shorten(escaped(kind), maxTotal) + ")"
}

// cursor is that of the next page, "" when there is none. Some servers have it in their
// link to that page alone.
func (p *page) cursor() string {
	link, err := url.Parse(p.Links.Next)
	if p.NextCursor != "" || err != nil {
		return string(p.NextCursor)
	}
	return link.Query().Get("cursor")
}

// changes are what the next page is asked with: its cursor, which is one of changes by
// itself where changes_since was asked for. Both together begin again.
func (p *page) changes() []member {
	return []member{cursorTo(p.cursor()), {name: "changes_since"}}
}

// shrunk says that a page is shorter than what was asked for, "" when it is not.
func (p *page) shrunk() string {
	if p.asked == 0 {
		return ""
	}
	return fmt.Sprintf("The page has %s in place of %d, so that it fits.", count(len(p.Rows), "row"), p.asked)
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
			line += " " + shorten(escaped(w.Code), maxTotal)
		}
		lines = append(lines, strings.TrimSpace(line+": "+shorten(tools.Line(w.Message), maxWarning)))
	}
	return lines
}
