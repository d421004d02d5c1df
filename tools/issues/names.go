package issues

import (
	"context"
	"fmt"
	"math"
	"strings"

	"issues-index/index"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// A nameCount is a label or project and how many documents have it.
type nameCount struct {
	Name  string `json:"name"`
	Count int    `json:"count,omitempty"` // absent for those of one document
}

// A namesPage is what an answer with a page of labels or projects adds.
type namesPage struct {
	TotalCount int    `json:"totalCount,omitempty"`
	NextCursor string `json:"nextCursor,omitempty"`
	Note       string `json:"note,omitempty"`
}

// listAll answers with all names, most used first, or as many as there is room for.
func (f namesField) listAll(ctx context.Context, ix *index.Index, args *tools.Args) (tools.Result, error) {
	object := func(names []nameCount, page namesPage) namesAnswer {
		answer := f.answer(names)
		answer.namesPage = page
		return answer
	}
	const leastName = len(`{"name":"a","count":1},`)
	const isCut = "Long names are cut."
	b, room := args.Budget(), args.Room()
	maxName := max(room.Bytes()/40, 75) // characters, where not all names fit
	q := index.Query{Values: f.field, Limit: math.MaxInt, Scope: "issues_" + f.plural, Cursor: cursor(args)}
	if !b.Off {
		q.Limit = max(b.Lines, room.Bytes()/leastName)
	}
	var names []nameCount
	var original int
	v, err := ix.FindCut(ctx, q, func(v index.Page) (int, error) {
		names = make([]nameCount, len(v.Counts))
		fit := answer.Rows{Room: room, Flags: b.Flags, Wide: maxName + 2*leastName, Sizes: make([]answer.Space, len(names))}
		size := func(i int) answer.Space {
			return answer.SpaceOf(names[i].text(), marshalled(names[i])).Plus(answer.Space{Text: 1, Object: 1})
		}
		for i, c := range v.Counts {
			names[i] = nameCount{c.Value, c.Count}
			fit.Sizes[i] = size(i)
		}
		fit.Around = func(n int) answer.Space {
			text, more, page := namesHead(v.First(n), f.plural, isCut)
			return answer.SpaceOf(text+more+"\n", marshalled(object([]nameCount{}, page)))
		}
		fit.Narrow = func(i int) (answer.Space, bool) {
			short := words.Cut(names[i].Name, maxName)
			if short == names[i].Name {
				short = words.Cut(short, narrowWord)
			}
			cut := short != names[i].Name
			names[i].Name = short
			return size(i), cut
		}
		if all := fit.Total(len(names)); v.Remaining > 0 || !all.In(room) {
			original = all.Object + leastName*v.Remaining
		}
		return fit.Fit(), nil
	})
	if err != nil {
		return tools.Result{}, err
	}
	if !b.Pagination && !b.Off {
		v.Next = "" // nobody asked for a further page
	}
	if v.Total == 0 {
		return tools.Result{Text: fmt.Sprintf("No document has %s.", f.plural), Structured: object([]nameCount{}, namesPage{})}, nil
	}
	names = names[:len(v.Counts)]
	note := ""
	for i, c := range v.Counts {
		if names[i].Name != c.Value {
			note = isCut
		}
	}
	text, more, page := namesHead(v, f.plural, note)
	lines := []string{text}
	for _, n := range names {
		lines = append(lines, n.text())
	}
	text = strings.Join(lines, "\n")
	if len(text) > repeatAfter && more != "" {
		text += "\n" + more
	}
	r := tools.Result{Text: text, Structured: object(names, page), Items: len(names), Original: original}
	if v.Next != "" {
		r.Outcome = tools.OutcomePaginated
	}
	if original > 0 && (v.Next == "" || note != "") {
		r.Outcome = r.Outcome.With(tools.OutcomeSummarized)
	}
	return r, nil
}

// text has the count first, since names may hold spaces.
func (n nameCount) text() string { return fmt.Sprintf("%d %s", n.Count, words.OneLine(n.Name)) }

// namesHead is what a page of names says above them, how to go on, and its members
// beside the names.
func namesHead(v index.Page, what, cut string) (first, more string, page namesPage) {
	first = fmt.Sprintf("%d %s, each with its number of documents:", v.Total, what)
	if len(v.Counts) < v.Total {
		first = fmt.Sprintf("Showing %d of %d %s, each with its number of documents.", len(v.Counts), v.Total, what)
		page.TotalCount, page.NextCursor = v.Total, v.Next
		more = goOn(v.Remaining, v.Next, v.Unkept)
	}
	page.Note = sentences(more, cut)
	return sentences(first, page.Note), more, page
}

// ownNames are the labels or the project of one document.
func ownNames(names ...string) []nameCount {
	counts := []nameCount{}
	for _, name := range names {
		if name != "" {
			counts = append(counts, nameCount{Name: name})
		}
	}
	return counts
}

// joined lists names in a line.
func joined(names []nameCount) string {
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = n.Name
	}
	return orNone(words.OneLine(strings.Join(texts, ", ")))
}
