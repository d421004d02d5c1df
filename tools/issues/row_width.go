package issues

import (
	"slices"
	"strings"

	"issues-index/store/words"
	"issues-index/tools/answer"
)

// A price is what the rows of a page may take on average, in bytes of each channel.
type price struct{ text, object int }

// Twenty rows have to cost an agent fewer than 700 tokens as summary text and 1,000 as
// structured summaries, and 400 and 600 in minimal format, at four bytes a token. The
// prices are what the page's header leaves of this, less what dates cost above four
// bytes a token: two tokens for three digits.
var (
	summaryPrice = price{text: 117, object: 166}
	minimalPrice = price{text: 64, object: 104}
)

// boxesDearer is what boxes, as 2/5, cost above four bytes a token, in bytes of each channel.
const boxesDearer = 10

// fewRows is the number of rows from which a page keeps to its price. Fewer are as wide
// as they are.
const fewRows = 10

// cut shortens the widest rows until all of them keep to the price. Where they do
// not, the day of the update that most of them share is left out first, and returned.
func (p price) cut(rows []issueRow, rendered []renderedRow) (sharedDay string) {
	if len(rows) < fewRows {
		return ""
	}
	over := p.over(rows, rendered)
	if slices.Max(over) <= 0 {
		return ""
	}
	if sharedDay = dropSharedDay(rows); sharedDay != "" {
		for i := range rows {
			rendered[i] = rows[i].render()
		}
		over = p.over(rows, rendered)
	}
	for i, bytes := range over {
		if bytes > 0 {
			rows[i] = rows[i].shorter(bytes)
			rendered[i] = rows[i].render()
		}
	}
	return sharedDay
}

// over returns by how many bytes each row is too wide. A snippet does not count: the
// caller asked for it.
func (p price) over(rows []issueRow, rendered []renderedRow) []int {
	texts, objects := make([]int, len(rows)), make([]int, len(rows))
	for i, r := range rendered {
		texts[i], objects[i] = len(r.text), len(r.object)
		if rows[i].Boxes != "" {
			texts[i] += boxesDearer
			objects[i] += boxesDearer
		}
		if waits := rows[i].WaitsFor; waits != "" { // what is blocked is dearer
			texts[i] -= len(waits) + len(" waits for ")
			objects[i] -= len(waits) + len(`,"waitsFor":""`)
		}
		if claim := rows[i].Claim; claim != "" { // as is what somebody works on
			texts[i] -= len(claim) + len(" claimed by ")
			objects[i] -= len(claim) + len(`,"claim":""`)
		}
		if snippet := rows[i].Snippet; snippet != "" {
			texts[i] -= len(snippet) + len("\n ")
			objects[i] -= len(snippet) + len(`,"snippet":""`)
		}
	}
	text, object := answer.Share(texts, p.text*len(rows)), answer.Share(objects, p.object*len(rows))
	over := make([]int, len(rows))
	for i := range over {
		over[i] = max(texts[i]-text, objects[i]-object)
	}
	return over
}

// shorter cuts so many bytes from a row, as far as its title and its labels have them:
// in steps, so that both keep about as much. Labels go from the end, with … in their place.
func (r issueRow) shorter(bytes int) issueRow {
	title := func(length int) {
		short := words.CutBytes(r.Title, max(len(r.Title)-bytes, len(words.Cut(r.Title, length))))
		bytes -= len(r.Title) - len(short)
		r.Title = short
	}
	kept, size := len(r.Labels), len(strings.Join(r.Labels, ""))
	for _, least := range []struct{ title, labels int }{{80, 100}, {64, 70}, {52, 44}, {44, 28}, {40, 20}, {40, 0}} {
		title(least.title)
		for bytes > 0 && kept > 0 && size > least.labels {
			if kept == len(r.Labels) {
				bytes += len(`"…",`)
			}
			kept--
			size -= len(r.Labels[kept])
			bytes -= len(r.Labels[kept]) + len(`"",`)
		}
	}
	if strings.Contains(r.ID, "/") { // a path, which says much of the title
		title(20)
	}
	if kept < len(r.Labels) {
		r.Labels = append(r.Labels[:kept:kept], "…")
	}
	return r
}

// dropSharedDay leaves out the day of the update that at least half of the rows have,
// and returns it, "" when there is none.
func dropSharedDay(rows []issueRow) string {
	days := make(map[string]int)
	shared := ""
	for _, r := range rows {
		if days[r.Updated]++; days[r.Updated] > days[shared] {
			shared = r.Updated
		}
	}
	if 2*days[shared] < len(rows) {
		return ""
	}
	for i := range rows {
		if rows[i].Updated == shared {
			rows[i].Updated = ""
		}
	}
	return shared
}

const (
	// narrowTitle and narrowWord are the most characters of a title and of any other
	// field of a row that had to be narrowed.
	narrowTitle = 40
	narrowWord  = 20
	// maxID is the most bytes of an id. In place of a longer one stands the path.
	maxID = 200
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
		if short := shortID(r.ID, path); short != r.ID {
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

// shortID is an id, or the path in place of one that is too long.
func shortID(id, path string) string {
	if len(id) > maxID && len(path) < len(id) {
		return path
	}
	return id
}
