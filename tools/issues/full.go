package issues

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// A fullRow is a whole document of a list, or as much of it as there is room for.
type fullRow struct {
	documentView
	Omitted string `json:"omitted,omitempty"` // what did not fit
}

func (r fullRow) render() answer.Row {
	row := answer.Row{Text: r.fields(), Block: true, Body: r.Description, Object: marshalled(r), Omitted: r.Omitted}
	if r.Omitted != "" {
		row.Text += "\nomitted: " + r.Omitted
	}
	return row
}

// fullRows reads the files of a page's documents, one after the other, until the answer
// cannot have room for more. A text that is too long for an answer of its own is not
// held in memory.
func fullRows(ix *index.Index, args *tools.Args, p index.Page, empty string) (*listRows, error) {
	const beside = 600 // bytes that the rest of an answer may take
	b, room := args.Budget(), args.Room()
	list := &listRows{empty: empty}
	list.Member, list.Wide = "issues", max(room.Bytes()-beside, room.Bytes()/2)
	var rows []fullRow
	taken := 0
	for _, r := range p.Rows {
		if b.Pagination && taken > room.Bytes() {
			list.Unread += int(r.Size)
			continue
		}
		doc, err := load(ix, r)
		if err != nil && !isGone(err) {
			return nil, err
		}
		if err != nil {
			rows, list.Rows = append(rows, fullRow{}), append(list.Rows, answer.Row{})
			continue
		}
		row := fullRow{documentView: whole(doc)}
		row.Title = strings.Clone(row.Title) // may be part of the text
		if size := len(doc.Body); b.Summarization && size > list.Wide {
			list.Unread += size
			row, _ = row.narrower()
		}
		rows, list.Rows = append(rows, row), append(list.Rows, row.render())
		taken += list.Taken(len(rows) - 1)
	}
	list.Narrow = func(i int) (answer.Row, bool) {
		narrower, ok := rows[i].narrower()
		rows[i] = narrower
		return narrower.render(), ok
	}
	return list, nil
}

// narrower leaves out the next thing that a document can do without: its text, its
// labels, the ends of long fields and what else it has, then all but what identifies it.
// It reports false when there is nothing more.
func (r fullRow) narrower() (fullRow, bool) {
	var lost []string
	switch {
	case r.ID == "" || r.Omitted == allOthers:
		return r, false
	case r.Description != nil:
		lost = append(lost, fmt.Sprintf("description (%d characters)", utf8.RuneCountInString(*r.Description)))
		r.Description = nil
	case r.Labels != nil && len(*r.Labels) > 0:
		lost = append(lost, fmt.Sprintf("labels (%d)", len(*r.Labels)))
		r.Labels = nil
	default:
		lost = r.narrowFields()
	}
	if len(lost) == 0 {
		return fullRow{documentView{ID: r.ID, Title: r.Title, Status: r.Status, Path: r.Path}, allOthers}, true
	}
	r.Omitted = addOmissions(r.Omitted, lost)
	return r, true
}

// narrowFields cuts the fields that are short in most documents, and leaves out those
// that most have not. It returns what it took.
func (r *fullRow) narrowFields() (lost []string) {
	for _, field := range []struct {
		name  string
		value *string
		limit int
	}{
		{"title", &r.Title, narrowTitle}, {"status", &r.Status, narrowWord}, {"priority", &r.Priority, narrowWord},
		{"assignee", &r.Assignee, narrowWord}, {"project", &r.Project, narrowWord},
	} {
		if short := words.Cut(*field.value, field.limit); short != *field.value {
			lost = append(lost, fmt.Sprintf("rest of %s (%d characters)", field.name,
				utf8.RuneCountInString(*field.value)-field.limit+1))
			*field.value = short
		}
	}
	if size := len(r.WranglerContext); size > 0 {
		lost = append(lost, fmt.Sprintf("wranglerContext (%d bytes)", size))
	}
	if size := len(r.Frontmatter); size > 0 {
		lost = append(lost, fmt.Sprintf("frontmatter (%d bytes)", size))
	}
	if n := len(r.Problems); n > 0 {
		lost = append(lost, fmt.Sprintf("problems (%d)", n))
	}
	r.WranglerContext, r.Frontmatter, r.Problems = nil, nil, nil
	if short := documents.ShortID(r.ID, r.Path); short != r.ID {
		r.ID = short
		lost = append(lost, "id (path in its place)")
	}
	return lost
}
