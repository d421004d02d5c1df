package issues

import (
	"math"

	"issues-index/index"
)

// A price is what the rows of a page may take on average, in bytes of each channel.
type price struct{ text, object int }

// Twenty rows are to cost an agent fewer than 700 tokens as summary text and 1,000 as
// structured summaries, and 400 and 600 in minimal form, at four bytes a token. What is
// left for the rows, beside what the answer says of the page, is this much for each.
var (
	summaryPrice = price{text: 128, object: 186}
	minimalPrice = price{text: 64, object: 104}
)

// dateSurcharge is how many bytes more a date counts for than it has: its digits cost
// two tokens of every three.
const dateSurcharge = 12

// fewRows are so few that they may be as wide as they are.
const fewRows = 10

// A narrowness is how much of a row is shown: so many characters of its title, of a
// title beside an id that is a path, and so many bytes of its labels.
type narrowness struct{ title, besidePath, labels int }

// narrownesses are tried in turn until the rows are worth their price. With the last
// one a row still has its id, its status and the beginning of its title.
var narrownesses = []narrowness{
	{titleLength, shortTitle, math.MaxInt}, {108, 56, math.MaxInt}, {96, 48, math.MaxInt}, {88, 44, math.MaxInt},
	{80, 40, 100}, {72, 36, 90}, {64, 32, 80}, {60, 28, 70}, {56, 24, 60}, {52, 24, 52}, {48, 20, 44}, {44, 20, 36},
	{40, 20, 28}, {40, 20, 20}, {40, 16, 0},
}

// covers reports whether the rows take no more than the price.
func (p price) covers(rows []row) bool {
	if len(rows) < fewRows {
		return true
	}
	text, object := 0, 0
	for _, r := range rows {
		inText, inObject := r.size()
		text, object = text+inText, object+inObject
	}
	return text <= p.text*len(rows) && object <= p.object*len(rows)
}

// size is about what a row takes in each channel, in bytes, without its snippet: that
// is asked for, at its own price. It is worked out, since rows are tried often.
func (r row) size() (text, object int) {
	for _, field := range []struct{ value, before, quoted string }{
		{r.ID, "", `{"id":""`}, {r.Status, " ", `,"status":""`}, {r.Title, " ", `,"title":""},`}, {r.Priority, " ", `,"priority":""`},
		{r.Updated, " ", `,"updated":""`}, {r.Omitted, " (omitted: )", `,"omitted":""`},
	} {
		if field.value != "" {
			text += len(field.before) + len(field.value)
			object += len(field.quoted) + len(field.value)
		}
	}
	if r.Updated != "" {
		text, object = text+dateSurcharge, object+dateSurcharge
	}
	if r.Created != "" {
		object += len(`,"created":""`) + len(r.Created) + dateSurcharge
	}
	for _, label := range r.Labels {
		text += len(",") + len(label)
		object += len(`"",`) + len(label)
	}
	if len(r.Labels) > 0 {
		text += len(" []")
		object += len(`,"labels":[]`)
	}
	return text + len("\n"), object
}

// narrow cuts the rows of a page until they take no more than the price, as far as
// that can be.
func (p price) narrow(of []index.Row, rows []row) []row {
	if p.covers(rows) {
		return rows
	}
	shown := make([]row, len(rows))
	for _, n := range narrownesses {
		for i, r := range rows {
			shown[i] = n.cut(r, of[i].Shared)
		}
		if p.covers(shown) {
			break
		}
	}
	return shown
}

// cut makes a row narrow. Labels that do not fit are left out from the end, with …
// in their place.
func (n narrowness) cut(r row, path bool) row {
	title := n.title
	if path {
		title = n.besidePath
	}
	r.Title = cut(r.Title, title)
	left := n.labels
	for i, label := range r.Labels {
		if left -= len(label); left < 0 {
			r.Labels = append(r.Labels[:i:i], "…")
			break
		}
	}
	return r
}
