package pdpp

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"sort"
	"strconv"
	"strings"

	"issues-index/tools"
)

// A listing is a list that is asked for, and how it is shown.
type listing struct {
	path  string
	query url.Values
	// show makes an answer of a page. At level 0 it is all of it; above, each row says
	// less the higher the level is.
	show func(p *page, level int) view
	last int // level
	// whole says that a shorter list has other rows than the first of a longer one, or
	// that nothing leads to the rest: so all rows stay, and say less.
	whole bool
}

// A view is an answer that shows a page.
type view struct {
	tools.Result
	hidden int // rows of the page that its text has no room for
}

// fits reports whether a view has all of its page in both channels.
func (v view) fits(args *tools.Args) bool { return v.hidden == 0 && args.Fits(v.Result) }

// fitted asks for a list and, where it does not fit, for as many of its rows as do: so
// has_more and next_cursor stay true, and no row is left out between two pages. Where the
// list has no shorter pages, its rows say less.
func (c *Client) fitted(ctx context.Context, args *tools.Args, l listing) (tools.Result, error) {
	kind := fmt.Sprint(l.path, l.query["fields"], l.query["view"], l.query["expand"])
	rowBytes, known := c.rows.of(kind)
	named := l.query.Has("limit")
	given := l.setLimit(args, rowBytes, known)
	p, err := c.list(ctx, l.path, l.query)
	if err != nil {
		return tools.Result{}, err
	}
	if p.cursor() != "" {
		p.asked = given
	}
	v := l.show(p, 0)
	whole, fits := v.Size(), v.fits(args)
	c.rows.saw(kind, whole+whole/8, len(p.Rows)) // rows differ
	if !fits && l.whole {
		v, fits = l.reduced(args, p)
	}
	for !fits && l.hasShorter(args, p) {
		shorter, err := c.list(ctx, l.path, l.shorter(args, p))
		if err != nil {
			return tools.Result{}, err
		}
		if len(shorter.Rows) >= len(p.Rows) || shorter.cursor() == "" { // there are no pages of it after all
			break
		}
		shorter.asked = cmp.Or(p.asked, len(p.Rows))
		// Rows differ: the next page may have more again, if it is not told how many.
		shorter.pinned = named && inTextAlone(args)
		p, v = shorter, l.show(shorter, 0)
		v.Outcome = tools.OutcomePaginated
		fits = v.fits(args)
	}
	if !fits {
		v = l.cut(args, p)
	}
	if v.Outcome != tools.OutcomePlain {
		v.Original = whole
	}
	return v.Result, nil
}

// setLimit gives a call that names no limit one that a page of about fits with, and a
// page of a known list no larger one, so that it is rarely asked for twice. It returns the
// limit that it took the place of, 0 when of none.
func (l listing) setLimit(args *tools.Args, rowBytes int, known bool) (given int) {
	const byDefault = 25 // of the RS
	rows := max(1, args.Budget().Bytes/rowBytes)
	given, err := strconv.Atoi(l.query.Get("limit"))
	switch {
	case l.whole, args.Budget().Off, !args.Budget().Pagination:
	case err != nil && rows < byDefault:
		l.query.Set("limit", strconv.Itoa(rows))
	case err == nil && known && rows < given && !inTextAlone(args):
		l.query.Set("limit", strconv.Itoa(rows))
		return given
	}
	return 0
}

// inTextAlone reports whether answers have no structured output: rows take room by their
// ids alone then, and all pages have about as many.
func inTextAlone(args *tools.Args) bool {
	large := encode(map[string]string{"x": strings.Repeat("x", args.Budget().Bytes)})
	return args.Fits(tools.Result{Structured: large})
}

// hasShorter reports whether a page may be asked for again with fewer rows. A list that
// is complete and has no cursor may get one so.
func (l listing) hasShorter(args *tools.Args, p *page) bool {
	return len(p.Rows) > 1 && args.Budget().Pagination && (p.cursor() != "" || !p.HasMore && !l.whole)
}

// shorter is the query for as many rows of a page as fit: they are counted, for they are
// those that a shorter page has.
func (l listing) shorter(args *tools.Args, p *page) url.Values {
	like := *p
	like.asked = len(p.Rows)
	if p.cursor() == "" { // the shorter page will have one
		const length = 200
		like.HasMore, like.NextCursor = true, word(strings.Repeat("c", length))
		stand := *p.answer
		stand.Body = object(append(members(p.answer.Body), member{"links_and_cursor", encode(strings.Repeat("c", 2*length))}))
		like.answer = &stand
	}
	rows := sort.Search(len(p.Rows)-1, func(n int) bool { return !l.show(like.first(n+1), 0).fits(args) })
	l.query.Set("limit", strconv.Itoa(max(1, rows)))
	return l.query
}

// first is a page with the first of its rows alone.
func (p *page) first(rows int) *page {
	short, cutDown := *p, *p.answer
	short.Rows = p.Rows[:rows]
	cutDown.Body = withRows(p.answer.Body, short.Rows...)
	short.answer = &cutDown
	return &short
}

// rooms are what a text may take, in bytes, where the page has to have all its rows.
var rooms = []int{maxSummary, 2 * maxSummary, 4 * maxSummary, 8 * maxSummary, 16 * maxSummary}

// reduced shows all rows of a page, each with as much as there is room for, and reports
// whether there is room for all.
func (l listing) reduced(args *tools.Args, p *page) (v view, fits bool) {
	levels := l.last
	if !args.Budget().Summarization {
		levels = 0
	}
	for level := 0; level <= levels; level++ {
		if v, fits = l.roomy(args, p, level); fits {
			break
		}
	}
	return v, fits
}

// roomy shows a page at a level, with a text that is as long as its ids need.
func (l listing) roomy(args *tools.Args, p *page, level int) (v view, fits bool) {
	for _, room := range rooms {
		wide := *p
		wide.room = room
		v = l.show(&wide, level)
		if level > 0 {
			v.Outcome = tools.OutcomeSummarized
		}
		if v.hidden == 0 || !args.Fits(v.Result) {
			break
		}
	}
	if v.hidden > 0 { // a next page would pass over what is hidden
		last := *p
		last.stays = true
		v = view{l.show(&last, level).Result, v.hidden}
	}
	return v, v.fits(args)
}

// cut shows a page that has to be shown as it is: with less of each row and, where that
// is too much still, with the first rows alone. A page of one row is left to the server.
func (l listing) cut(args *tools.Args, p *page) view {
	v, fits := l.reduced(args, p)
	if fits || len(p.Rows) <= 1 || !args.Budget().Summarization {
		return v
	}
	first := func(rows int) (view, bool) {
		short := p.first(rows)
		short.left = len(p.Rows) - rows
		short.answer.Body = without(short.answer.Body, "next_cursor", "links") // which pass the others over
		return l.roomy(args, short, l.last)
	}
	rows := sort.Search(len(p.Rows)-1, func(n int) bool { _, fits := first(n + 1); return !fits })
	v, _ = first(max(1, rows))
	return v
}
