package issues

import (
	"slices"
	"strings"

	"issues-index/index/documents"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// A price is what the rows of a page may take on average, in bytes of each channel.
type price struct{ text, object int }

// Twenty rows have to cost an agent fewer than 700 tokens as summary text and 1,000 as
// structured summaries, and 400 and 600 in minimal format. The prices are what the page's
// header leaves of this at four bytes a token.
var (
	summaryPrice = price{text: 110, object: 168}
	minimalPrice = price{text: 64, object: 95}
)

const (
	// fewRows is the number of rows from which a page keeps to its price. Fewer are as wide
	// as they are.
	fewRows = 10
	// denser is what a day, and boxes as 2/5, cost above four bytes a token, in bytes.
	denser = 9
	// mostLabels is how many labels a row shows at most that has to keep to its price.
	mostLabels = 3
)

// cut leaves out of all rows what they can do without, one thing after the other, until
// they keep to the price in the channels that are sent: the day of the update that most of
// them share, labels, days, and at last the ends of titles. The header says what it was.
func (p price) cut(rows []issueRow, sent tools.Output) (h listHeader) {
	if len(rows) < fewRows {
		return h
	}
	m := meter{over: answer.Space{Text: -p.text * len(rows), Object: -p.object * len(rows)}}
	for _, r := range rows {
		// What a row waits for, who has claimed it and a snippet are worth more than they take.
		r.WaitsFor, r.Claim, r.Snippet = "", "", ""
		m.add(&r, 1)
	}
	over := func() int {
		switch sent {
		case tools.OutputText:
			return m.over.Text
		case tools.OutputStructured:
			return m.over.Object
		}
		return m.over.Larger()
	}
	if over() <= 0 {
		return h
	}
	change := func(i int, r issueRow) {
		m.add(rows[i].extras(), -1)
		m.add(r.extras(), 1)
		rows[i] = r
	}
	if h.day = sharedDay(rows); h.day != "" {
		for i, r := range rows {
			if r.Updated == h.day {
				r.Updated = ""
				change(i, r)
			}
		}
	}
	for labels := mostLabels; labels > 0 && over() > 0; labels-- {
		for i, r := range rows {
			if len(r.Labels) > labels {
				r.Labels = slices.Concat(r.Labels[:labels], []string{"…"})
				change(i, r)
			}
		}
	}
	if over() > 0 && slices.ContainsFunc(rows, func(r issueRow) bool { return len(r.Labels) > 0 }) {
		h.without = append(h.without, "labels")
		for i, r := range rows {
			r.Labels = nil
			change(i, r)
		}
	}
	if over() > 0 && slices.ContainsFunc(rows, func(r issueRow) bool { return r.Updated != "" }) {
		h.without, h.day = append(h.without, "days"), ""
		for i, r := range rows {
			r.Created, r.Updated = "", ""
			change(i, r)
		}
	}
	if over() > 0 {
		cutTitles(rows, over())
	}
	return h
}

// A meter adds up by how many bytes rows are dearer than their price.
type meter struct {
	over    answer.Space
	scratch []byte
}

// extras are the labels and the days of a row alone: what its change changes.
func (r *issueRow) extras() *issueRow {
	return &issueRow{Labels: r.Labels, Updated: r.Updated, Created: r.Created}
}

// add counts a row so many times.
func (m *meter) add(r *issueRow, times int) {
	m.scratch = r.appendText(m.scratch[:0])
	text := len(m.scratch)
	m.scratch = r.appendObject(m.scratch[:0])
	object := len(m.scratch)
	for _, digits := range []string{r.Boxes, r.Updated, r.Created} {
		if digits != "" {
			text, object = text+denser, object+denser
		}
	}
	m.over.Text, m.over.Object = m.over.Text+times*text, m.over.Object+times*object
}

// cutTitles cuts so many bytes from the longest titles, as far as they have them.
func cutTitles(rows []issueRow, over int) {
	titles, all := make([]int, len(rows)), 0
	for i, r := range rows {
		titles[i] = len(r.Title)
		all += titles[i]
	}
	longest := answer.Share(titles, all-over)
	for i, r := range rows {
		least := narrowTitle
		if strings.Contains(r.ID, "/") { // a path, which says much of the title
			least = narrowWord
		}
		rows[i].Title = words.CutBytes(r.Title, max(longest, least))
	}
}

// sharedDay returns the day of the update that at least half of the rows have, "" when there
// is none.
func sharedDay(rows []issueRow) (shared string) {
	days := make(map[string]int)
	for _, r := range rows {
		if days[r.Updated]++; days[r.Updated] > days[shared] {
			shared = r.Updated
		}
	}
	if 2*days[shared] < len(rows) {
		return ""
	}
	return shared
}

const (
	// narrowTitle and narrowWord are the most characters of a title and of any other
	// field of a row that had to be narrowed.
	narrowTitle = 40
	narrowWord  = 20
)

// allOthers is what a row has lost that is reduced to what identifies it.
const allOthers = "the rest"

// narrower leaves out the next thing that a row can do without: the snippet, the labels,
// the ends of long fields, then all but what identifies the document. It reports false
// when there is nothing more.
func (r issueRow) narrower(path string) (issueRow, bool) {
	var lost []string
	switch {
	case r.Omitted == allOthers:
		return r, false
	case r.Snippet != "":
		r.Snippet, lost = "", []string{"snippet"}
	case r.WaitsFor != "":
		r.WaitsFor, lost = "", []string{"waitsFor"}
	case r.Claim != "":
		r.Claim, lost = "", []string{"claim"}
	case len(r.Labels) > 0:
		r.Labels, lost = nil, []string{"labels"}
	default:
		for _, field := range []struct {
			name  string
			value *string
			limit int
		}{{"title", &r.Title, narrowTitle}, {"status", &r.Status, narrowWord}, {"priority", &r.Priority, narrowWord}} {
			if short := words.Cut(*field.value, field.limit); short != *field.value {
				*field.value = short
				lost = append(lost, "rest of "+field.name)
			}
		}
		if short := documents.ShortID(r.ID, path); short != r.ID {
			r.ID = short
			lost = append(lost, "id (path in its place)")
		}
	}
	if len(lost) == 0 {
		return issueRow{ID: r.ID, Title: words.Cut(r.Title, narrowWord), Status: r.Status, Omitted: allOthers}, true
	}
	r.Omitted = addOmissions(r.Omitted, lost)
	return r, true
}

func addOmissions(omitted string, lost []string) string {
	return strings.TrimPrefix(omitted+", "+strings.Join(lost, ", "), ", ")
}
