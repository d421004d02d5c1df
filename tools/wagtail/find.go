package wagtail

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"issues-index/store/words"
	"issues-index/tools"
)

func findInPages(s *Site) tools.Tool {
	return readOnly(tools.Tool{
		Name: findName,
		Description: "Look through the content of all pages of the Wagtail site, or of some, for a text (phrases and parts of words too), " +
			"for links to a page, file or address, or for broken links. Shows the line around each. Read-only. Slower than a search; go on with cursor alone.",
		Input: tools.ObjectSchema(`"text":` + anyText + `,"links_to":{"type":"string","description":"page id, path or URL, document:3, image:2"},"broken_links":{"type":"boolean"},` +
			`"type":` + anyText + `,"descendant_of":` + anyText + `,"locale":` + anyText + `,"site":` + anyText + `,"cursor":` + anyText),
		Output: tools.ObjectSchema(`"pages":`+someRows+`,"lookedAt":`+number+`,"nextCursor":`+anyText+`,"note":`+anyText, "pages", "lookedAt"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			query, resumed := s.resumed(args, findName, s.readFind(args))
			if !resumed {
				wantsOne(args, query)
			}
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			return s.find(ctx, args, query)
		},
	})
}

// readFind reads the arguments, under the names that the cursor has for them.
func (s *Site) readFind(args *tools.Args) url.Values {
	query := url.Values{}
	set(query, "text", text(args, "text"))
	set(query, "links_to", text(args, "links_to"))
	if args.Bool("broken_links") {
		query.Set("broken_links", "true")
	}
	set(query, "type", pageTypes(args, "type"))
	set(query, "descendant_of", treePage(args, "descendant_of"))
	set(query, "site", s.otherSite(args))
	set(query, "locale", locale(args))
	if query.Has("text") && utf8.RuneCountInString(folded(query.Get("text"))) < 2 {
		args.Fail(invalid("text", query.Get("text"), ": it is too short", "Pass at least two characters."))
	}
	return query
}

// wantsOne fails a call that does not say what to look for, or says two things.
func wantsOne(args *tools.Args, query url.Values) {
	given := slices.DeleteFunc([]string{"text", "links_to", "broken_links"}, func(name string) bool { return !query.Has(name) })
	const way = "Pass one of text, links_to and broken_links: true."
	switch {
	case len(given) == 0:
		args.Fail(tools.Errorf(tools.CodeMissingField, "The call does not say what to look for.").On("text").Try(way))
	case len(given) > 1:
		args.Fail(tools.Errorf(tools.CodeValidation, "Both %s and %s say what to look for.", given[0], given[1]).On(given[1]).Try(way))
	}
}

// A walkPosition is the next page to look at: the page of a type with that number.
type walkPosition struct {
	pageType string
	offset   int
}

// A finder goes through the pages of one call.
type finder struct {
	site  *Site
	args  *tools.Args
	query url.Values
	walk  *requestBudget
	task  findTask

	types  []string // to go through, in order
	total  int      // pages of the call
	others int      // pages of unknown types

	before    int // pages that earlier calls looked at
	looked    int
	skipped   int // pages that are too large to read
	pages     []foundPage
	elsewhere string        // what to say of their paths
	stopped   *walkPosition // nil at the end
	why       string        // it stopped, where the site is to blame
}

// find goes through the pages, from the cursor on.
func (s *Site) find(ctx context.Context, args *tools.Args, query url.Values) (tools.Result, error) {
	f := &finder{site: s, args: args, query: query, walk: s.walk(), before: numberOf(query, "looked")}
	within := url.Values{}
	for _, name := range []string{"type", "descendant_of", "locale", "site"} {
		set(within, name, query.Get(name))
	}
	if err := s.resolveTree(ctx, within); err != nil {
		return tools.Result{}, err
	}
	if err := f.plan(ctx, within); err != nil {
		return tools.Result{}, s.naming(err)
	}
	if err := f.run(ctx, within); err != nil {
		return tools.Result{}, s.naming(err)
	}
	return f.show(f.stopped), nil
}

// plan decides which types to go through, and what to look for.
func (f *finder) plan(ctx context.Context, within url.Values) error {
	c, err := f.site.census(ctx, within, f.walk)
	if err != nil {
		return err
	}
	f.types, f.total = c.typeNames(), c.total
	switch {
	case f.query.Has("text"):
		f.task = textTask(f.query.Get("text"))
	case f.query.Has("links_to"):
		d, err := f.site.destination(ctx, f.query.Get("links_to"), within.Get("site"), c, f.walk)
		if err != nil {
			return err
		}
		f.task = linkTask(d)
	default:
		f.task = brokenLinkTask(f.site, within.Get("site"), f.walk, c)
	}
	return nil
}

// run goes through one type after the other, from the cursor on.
func (f *finder) run(ctx context.Context, within url.Values) error {
	at := walkPosition{f.query.Get("at"), numberOf(f.query, "offset")}
	for _, pageType := range f.types {
		if pageType < at.pageType {
			continue
		}
		from := 0
		if pageType == at.pageType {
			from = at.offset
		}
		if err := f.through(ctx, within, walkPosition{pageType, from}); err != nil || f.stopped != nil {
			return err
		}
	}
	f.others = max(0, f.total-f.before-f.looked-f.skipped)
	return nil
}

// through goes through the pages of one type.
func (f *finder) through(ctx context.Context, within url.Values, at walkPosition) error {
	query := maps.Clone(within)
	query.Set("type", at.pageType) // a list of several types does not have all fields
	query.Set("fields", "*")
	step := defaultMaxLimit
	for {
		if !f.walk.take(1) {
			f.stopped = &at
			return nil
		}
		b, err := f.site.list(ctx, kindPages, query, step, at.offset)
		r, ok := errors.AsType[*siteError](err)
		large := ok && r.large
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case large && step > 1:
			step /= 2
			continue
		case large:
			f.skipped++
			at.offset++
			continue
		case err != nil && f.looked == 0 && f.skipped == 0:
			return err
		case err != nil:
			f.stopped, f.why = &at, words.Cut(tools.ErrorOf(err).Message, 200)
			return nil
		}
		if !f.look(ctx, b.items, &at) {
			return ctx.Err()
		}
		f.args.Progress(f.before+f.looked, max(f.total, f.before+f.looked), fmt.Sprintf("looked through %d pages, found %d", f.before+f.looked, len(f.pages)))
		if at.offset >= b.total || len(b.items) == 0 {
			return nil
		}
	}
}

// look looks at pages and moves at behind them. It reports whether it looked at all of
// them and could show what it found.
func (f *finder) look(ctx context.Context, pages []apiObject, at *walkPosition) bool {
	if f.task.prepare != nil {
		f.task.prepare(ctx, pages)
	}
	for _, i := range pages {
		if i.typeName() != at.pageType && slices.Contains(f.types, i.typeName()) {
			at.offset++ // it comes under its own type, with all its fields
			continue
		}
		if f.task.ready != nil && !f.task.ready(i, f.looked+f.skipped == 0) {
			f.stopped = at
			return false
		}
		hits, more := collect(i, f.task.match)
		if len(hits) > 0 {
			f.elsewhere = cmp.Or(f.elsewhere, f.site.elsewhere([]apiObject{i}))
			f.pages = append(f.pages, foundPage{listRow: f.site.rows(kindPages, []apiObject{i}, false)[0], Matches: hits, More: more})
			if f.args.Budget().Pagination && len(f.pages) > 1 && !f.args.Fits(f.show(at)) {
				f.pages = f.pages[:len(f.pages)-1]
				f.stopped = at
				return false
			}
		}
		f.looked++
		at.offset++
	}
	return ctx.Err() == nil
}

// cursor returns a cursor that continues at a position.
func (f *finder) cursor(at *walkPosition) string {
	query := maps.Clone(f.query)
	query.Set("at", at.pageType)
	query.Set("offset", strconv.Itoa(at.offset))
	query.Set("looked", strconv.Itoa(f.before+f.looked+f.skipped))
	return f.site.encodeCursor(findName, query)
}

// A foundPage is a page with matches.
type foundPage struct {
	listRow
	Matches []pageMatch `json:"matches"`
	More    int         `json:"more,omitempty"` // further places on the page
}

// A findAnswer is the answer of wagtail_find_in_pages.
type findAnswer struct {
	Pages      []foundPage `json:"pages"`
	LookedAt   int         `json:"lookedAt"` // pages, in this call and those before that its cursor came from
	NextCursor string      `json:"nextCursor,omitempty"`
	Note       string      `json:"note,omitempty"`
}

// show answers with the pages found so far, and with a cursor for a position.
func (f *finder) show(next *walkPosition) tools.Result {
	answer := findAnswer{Pages: append([]foundPage{}, f.pages...), LookedAt: f.before + f.looked}
	first, onward := f.task.found(len(answer.Pages)), ""
	if f.before > 0 {
		first += " among the pages of this part"
	}
	if next != nil {
		answer.NextCursor = f.cursor(next)
		onward = fmt.Sprintf("Pass cursor '%s' to look through the rest.", answer.NextCursor)
	}
	rows := make([]listRow, len(answer.Pages))
	for n := range rows {
		rows[n] = answer.Pages[n].listRow
	}
	shared := dropShared(rows)
	notes := append([]string{f.extent(next != nil), onward}, f.missed()...)
	notes = append(notes, shared, f.elsewhere)
	if f.task.notes != nil {
		notes = append(notes, f.task.notes(len(answer.Pages))...)
	}
	answer.Note = sentences(append([]string{first + "."}, notes...)...)
	lines := []string{answer.Note}
	for n := range answer.Pages {
		answer.Pages[n].listRow = rows[n]
		lines = append(lines, rows[n].text())
		for _, h := range answer.Pages[n].Matches {
			lines = append(lines, "  "+h.Field+": "+h.Text)
		}
		if more := answer.Pages[n].More; more > 0 {
			lines = append(lines, fmt.Sprintf("  and %d more places", more))
		}
	}
	return paginated(tools.Result{Text: strings.Join(lines, "\n"), Structured: answer, Items: len(answer.Pages)}, onward)
}

// extent says how many pages were looked at.
func (f *finder) extent(more bool) string {
	looked := f.before + f.looked
	if !more && f.others == 0 {
		return fmt.Sprintf("Looked through all %d pages.", looked)
	}
	return fmt.Sprintf("Looked through %d of %d pages.", looked, f.total)
}

// missed says which pages were passed over.
func (f *finder) missed() []string {
	var notes []string
	if f.why != "" {
		notes = append(notes, "Stopped there: "+f.why)
	}
	if f.skipped > 0 {
		notes = append(notes, fmt.Sprintf("%d pages are too large to be read in a list: read them with %s.", f.skipped, pageDetailsName))
	}
	if f.others > 0 {
		notes = append(notes, fmt.Sprintf("%d pages are of types that were not met: pass type for those.", f.others))
	}
	return notes
}
