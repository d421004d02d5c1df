package issues

import (
	"math"
	"sort"

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

// covers reports whether so many rows of such a size take no more than the price.
func (p price) covers(rows, text, object int) bool {
	return rows < fewRows || text <= p.text*rows && object <= p.object*rows
}

// pricedRows are the rows of a page within their price. A page is tried with fewer and
// fewer rows until it fits, so each narrowness is worked out once, when it is needed.
type pricedRows struct {
	price price
	wide  []row
	of    []index.Row
	made  []narrowed // by narrowness
}

// A narrowed has the rows of one narrowness, and what the first of them take together.
type narrowed struct {
	rows         []row
	text, object []int
}

// first returns the first rows, cut as far as their price asks for.
func (p *pricedRows) first(rows int) []row { return p.narrowed(p.level(rows)).rows[:rows] }

// level is the widest narrowness in which the first rows are worth their price, else
// the last one.
func (p *pricedRows) level(rows int) int {
	for level := range len(narrownesses) - 1 {
		if n := p.narrowed(level); p.price.covers(rows, n.text[rows], n.object[rows]) {
			return level
		}
	}
	return len(narrownesses) - 1
}

// likely is about how many rows there is room for, in bytes.
func (p *pricedRows) likely(room int) int {
	return sort.Search(len(p.wide), func(i int) bool {
		rows := i + 1
		return p.narrowed(p.level(rows)).object[rows]-rows*dateSurcharge > room
	})
}

// cover reports whether all rows are worth their price as wide as they are.
func (p *pricedRows) cover() bool {
	n, all := p.narrowed(0), len(p.wide)
	return p.price.covers(all, n.text[all], n.object[all])
}

func (p *pricedRows) narrowed(level int) narrowed {
	if level < len(p.made) {
		return p.made[level]
	}
	n := narrowed{make([]row, len(p.wide)), make([]int, len(p.wide)+1), make([]int, len(p.wide)+1)}
	for i, r := range p.wide {
		if level > 0 {
			r = narrownesses[level].cut(r, p.of[i].Shared)
		}
		text, object := r.size()
		n.rows[i], n.text[i+1], n.object[i+1] = r, n.text[i]+text, n.object[i]+object
	}
	p.made = append(p.made, n) // levels are asked for in order
	return n
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
