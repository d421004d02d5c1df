package issues

import (
	"fmt"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/tools"
	"issues-index/tools/answer"
)

const (
	// narrowTitle and narrowWord are the most characters of a title and of any
	// other field of a row that had to be made narrow; maxID is the most bytes of
	// an id, in whose place a longer one's path stands.
	narrowTitle = 40
	narrowWord  = 20
	maxID       = 200
)

// A form is what a list shows of the rows of one page. It knows of each row what
// it can do without.
type form interface {
	// rows is how many rows the form has; a page has more when those after them
	// cannot fit whatever is done.
	rows() int
	// show answers with the first rows of the page.
	show(p index.Page) tools.Result
	// unread is how many bytes of the page the form never held, since they cannot
	// fit.
	unread() int
	// share is the room that one row may take of so many bytes.
	share(room int) int
	// width is what a row takes in the larger channel, in bytes.
	width(row int) int
	// narrow leaves out the next thing that a row can do without. It reports
	// false when there is none.
	narrow(row int) bool
	// cheapen has rows shown within what they may cost from now on.
	cheapen()
	// likely is about how many rows, which were of such widths, there is room for.
	likely(widths []int, room int) int
	// omits reports whether something is left out of the first rows.
	omits(rows int) bool
}

// keep makes a page fit its budget: rows that are wide lose what they can best
// do without, then there are fewer of them. It returns how many, and the size
// that the page would have had, 0 when it fits as it is.
func keep(args *tools.Args, f form, p index.Page) (rows, original int) {
	complete := f.rows() == len(p.Rows)
	whole := f.show(p.First(f.rows()))
	if complete && f.unread() == 0 && args.Fits(whole) {
		if whole.Size() <= args.Budget().Bytes { // or nothing guards it, and it is shown whole
			f.cheapen()
		}
		return len(p.Rows), 0
	}
	original = whole.Size() + f.unread()
	b := args.Budget()
	fits := func(n int) bool { return args.Fits(f.show(p.First(n))) }
	widths := make([]int, f.rows())
	for i := range widths {
		widths[i] = f.width(i)
	}
	if b.Summarization {
		share := f.share(room(b))
		if !b.Pagination {
			share = min(share, (room(b)-besideRows)/len(p.Rows))
		}
		narrowed := false
		for i := range widths {
			for ; widths[i] > share && f.narrow(i); widths[i] = f.width(i) {
				narrowed = true
			}
		}
		f.cheapen()
		if narrowed && complete && fits(len(p.Rows)) {
			return len(p.Rows), original
		}
	}
	if !b.Pagination {
		return len(p.Rows), original
	}
	if rows = most(f.rows(), f.likely(widths, room(b)), fits); rows > 0 {
		return rows, original
	}
	for b.Summarization && !fits(1) && f.narrow(0) {
	}
	return 1, original
}

// besideRows is the room, in bytes, that the rest of an answer may take beside
// rows that fill it.
const besideRows = 600

// likely is about how many rows of such widths there is room for.
func likely(widths []int, room int) int {
	for i, width := range widths {
		if room -= width; room < besideRows/2 {
			return i
		}
	}
	return len(widths)
}

// most is the greatest number up to last that fits, 0 when none does. It looks
// around a guess first: each look writes a whole answer.
func most(last, guess int, fits func(int) bool) int {
	low, high := 0, last+1 // low fits, high does not
	at, step := guess, 1
	for low+1 < high {
		at = min(max(at, low+1), high-1)
		if fits(at) {
			low, at = at, at+step
		} else {
			high, at = at, at-step
		}
		if step *= 2; step > last {
			at = (low + high) / 2
		}
	}
	return low
}

// room is how many bytes an answer may have, its tokens considered.
func room(b answer.Budget) int { return min(b.Bytes, b.Tokens*10/3) }

// outcome says what became of a page that was made to fit. paged says that it is the
// server's page, or one of several that a client goes through: one that ends where the
// call asked it to is as it was asked for.
func outcome(f form, p index.Page, paged bool) tools.Outcome {
	did := tools.OutcomePlain
	if p.Next != "" && paged {
		did = tools.OutcomePaginated
	}
	if f.omits(len(p.Rows)) {
		did = did.With(tools.OutcomeSummarized)
	}
	return did
}

// allOthers is what a row has lost that is reduced to what identifies it.
const allOthers = "the rest"

// An omission is what a row had to leave out.
type omission []string

func (o omission) String() string { return strings.Join(o, ", ") }

// left says what the rows of a page leave out and how to get it, "" when they
// are as asked.
func left(all []omission) string {
	var things []string
	counts := make(map[string]int)
	for _, o := range all {
		for _, thing := range o {
			thing, _, _ = strings.Cut(thing, " (")
			if counts[thing]++; counts[thing] == 1 {
				things = append(things, thing)
			}
		}
	}
	if len(things) == 0 {
		return ""
	}
	slices.Sort(things)
	for i, thing := range things {
		things[i] = fmt.Sprintf("%s (%d)", thing, counts[thing])
	}
	return "Omitted to fit, and in how many: " + strings.Join(things, ", ") + ". issues_get reads them."
}
