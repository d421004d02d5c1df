package wagtail

import (
	"sort"

	"issues-index/tools"
)

// fieldWidth is the most characters of a field that a row shows.
const fieldWidth = 400

// fitted answers with show at the largest width at which the answer fits, in characters of a
// value.
func fitted(args *tools.Args, widest int, show func(width int) tools.Result) tools.Result {
	r := show(widest)
	if args.Fits(r) || !args.Budget().Summarization {
		return r
	}
	original := r.Size()
	r = show(sort.Search(widest, func(width int) bool { return !args.Fits(show(width + 1)) }))
	r.Original, r.Outcome = original, tools.OutcomeSummarized.With(r.Outcome)
	return r
}

// fewer answers with as many of n rows as fit, and always with one, which is cut if it does not fit.
func fewer(args *tools.Args, n int, show func(n, width int) tools.Result) tools.Result {
	r := show(n, fieldWidth)
	if args.Fits(r) {
		return r
	}
	original := r.Size()
	if args.Budget().Pagination && n > 1 {
		n = max(1, sort.Search(n, func(i int) bool { return !args.Fits(show(i+1, fieldWidth)) }))
	}
	r = fitted(args, fieldWidth, func(width int) tools.Result { return show(n, width) })
	r.Original = original
	return r
}

// longAnswer is the size from which an answer says at its end, too, how to go on, in bytes: hosts
// cut the middle out of long answers.
const longAnswer = 2000

// paginated adds to an answer how to go on, "" for one that is complete.
func paginated(r tools.Result, next string) tools.Result {
	if next != "" {
		r.Outcome = tools.OutcomePaginated
		if len(r.Text) > longAnswer {
			r.Text += "\n" + next
		}
	}
	return r
}
