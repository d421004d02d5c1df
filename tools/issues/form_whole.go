package issues

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/index"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// A wholeRow is a document of a list, or as much of it as there is room for.
type wholeRow struct {
	document
	Omitted string `json:"omitted,omitempty"` // what did not fit
}

func (r wholeRow) entry() entry {
	fields := r.fields()
	if r.Omitted != "" {
		fields += "\nomitted: " + r.Omitted
	}
	return entry{fields, r.Description}
}

// size is how many bytes the document takes as text when it is alone.
func (r wholeRow) size() int {
	text, mark := inMarks([]entry{r.entry()})
	return len(mark.End(text)) + 1
}

// A wholeForm shows the whole documents of a page. It has as many as can fit,
// and one more.
type wholeForm struct {
	of     []*wholeRow // nil for a file that went away since the index was read
	lost   []omission
	missed int    // bytes of what was not read, or not held on to
	empty  string // what to say when there are no rows
}

// newWhole reads the files of a page's documents, one after the other, until the
// answer cannot have room for more. A text that alone is too long for it is not
// held in memory.
func newWhole(ix *index.Index, p index.Page, b answer.Budget, empty string) (*wholeForm, error) {
	f := &wholeForm{empty: empty}
	taken := 0
	for _, r := range p.Rows {
		if b.Pagination && !b.Off && taken > room(b) {
			f.missed += int(r.Size)
			continue
		}
		doc, err := load(ix, r)
		gone := (*index.NotFoundError)(nil)
		if err != nil && !errors.As(err, &gone) {
			return nil, err
		}
		f.lost = append(f.lost, nil)
		if err != nil {
			f.of = append(f.of, nil)
			continue
		}
		w := &wholeRow{document: whole(doc)}
		w.Title = strings.Clone(w.Title) // may be part of the text
		f.of = append(f.of, w)
		if size := len(doc.Body); b.Summarization && !b.Off && size > f.share(room(b)) {
			f.missed += size
			f.narrow(len(f.of) - 1)
		}
		if !b.Off {
			taken += w.size()
		}
	}
	return f, nil
}

func (f *wholeForm) rows() int { return len(f.of) }

func (f *wholeForm) show(p index.Page) tools.Result {
	items, entries := make([]any, 0, len(p.Rows)), make([]entry, 0, len(p.Rows))
	for _, w := range f.of[:len(p.Rows)] {
		if w != nil {
			items, entries = append(items, *w), append(entries, w.entry())
		}
	}
	if len(entries) == 0 {
		return listResult(p, items, nil, "", legend{}, left(f.lost[:len(p.Rows)]), f.empty)
	}
	text, mark := inMarks(entries)
	return listResult(p, items, []string{text}, mark, legend{}, left(f.lost[:len(p.Rows)]), f.empty)
}

func (f *wholeForm) unread() int { return f.missed }

// cheapen does nothing: a whole document costs what it costs.
func (f *wholeForm) cheapen() {}

func (f *wholeForm) likely(widths []int, room int) int { return likely(widths, room) }

func (f *wholeForm) omits(rows int) bool { return left(f.lost[:rows]) != "" }

func (f *wholeForm) share(room int) int { return max(room-besideRows, room/2) }

func (f *wholeForm) width(i int) int {
	if f.of[i] == nil {
		return 0
	}
	object, err := json.Marshal(f.of[i])
	if err != nil { // texts always have a JSON form
		return 0
	}
	return max(len(object), f.of[i].size())
}

func (f *wholeForm) narrow(i int) bool {
	w := f.of[i]
	if w == nil {
		return false
	}
	before := len(f.lost[i])
	switch {
	case w.Description != nil:
		f.lose(i, fmt.Sprintf("description (%d characters)", utf8.RuneCountInString(*w.Description)))
		w.Description = nil
	case w.Labels != nil && len(*w.Labels) > 0:
		f.lose(i, fmt.Sprintf("labels (%d)", len(*w.Labels)))
		w.Labels = nil
	case !slices.Contains(f.lost[i], allOthers):
		if f.narrowFields(i); len(f.lost[i]) == before {
			w.document = document{ID: w.ID, Title: w.Title, Status: w.Status, Path: w.Path}
			f.lost[i] = omission{allOthers}
			before = 0
		}
	}
	w.Omitted = f.lost[i].String()
	return len(f.lost[i]) > before
}

// narrowFields cuts the fields that are short in most documents.
func (f *wholeForm) narrowFields(i int) {
	w := f.of[i]
	for _, field := range []struct {
		name  string
		value *string
		limit int
	}{
		{"title", &w.Title, narrowTitle}, {"status", &w.Status, narrowWord}, {"priority", &w.Priority, narrowWord},
		{"assignee", &w.Assignee, narrowWord}, {"project", &w.Project, narrowWord},
	} {
		if short := cut(*field.value, field.limit); short != *field.value {
			f.lose(i, fmt.Sprintf("rest of %s (%d characters)", field.name, utf8.RuneCountInString(*field.value)-field.limit+1))
			*field.value = short
		}
	}
	for _, field := range []struct {
		name  string
		value *json.RawMessage
	}{{"wranglerContext", &w.WranglerContext}, {"frontmatter", &w.Frontmatter}} {
		if len(*field.value) > 0 {
			f.lose(i, fmt.Sprintf("%s (%d bytes)", field.name, len(*field.value)))
			*field.value = nil
		}
	}
	if len(w.Problems) > 0 {
		f.lose(i, fmt.Sprintf("problems (%d)", len(w.Problems)))
		w.Problems = nil
	}
	if len(w.ID) > maxID && len(w.Path) < len(w.ID) {
		f.lose(i, "id (path in its place)")
		w.ID = w.Path
	}
}

func (f *wholeForm) lose(i int, thing string) { f.lost[i] = append(f.lost[i], thing) }
