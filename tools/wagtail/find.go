package wagtail

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

func findInPages(s *Site) tools.Tool {
	return narrows(tools.Tool{
		Name: findName,
		Description: "Look through the content of all pages of the Wagtail site, or of some, for a text (phrases and " +
			"parts of words too), " +
			"for links to a page, file or address, or for broken links. Shows the line around each. Read-only. " +
			"Slower than a search; go on with cursor alone.",
		Input: schemaOf("text text, links_to link, broken_links truth, type text, descendant_of text, locale text, " +
			"site text, cursor text"),
		Output: schemaOf("pages rows*, lookedAt number*, nextCursor text, note text"),
		Handle: s.find,
	})
}

// readFind reads the arguments, under the names that the cursor has for them. A call says one thing
// to look for.
func (s *Site) readFind(args *tools.Args) url.Values {
	const way = "Pass one of text, links_to and broken_links: true."
	query := url.Values{}
	set(query, "text", text(args, "text"))
	set(query, "links_to", text(args, "links_to"))
	if args.Bool("broken_links") {
		query.Set("broken_links", "true")
	}
	if len(query) > 1 {
		args.Fail(tools.Errorf(tools.CodeValidation, "The call says more than one thing to look for.").On("text").Try(way))
	}
	if len(query) == 0 && !args.Has("cursor") {
		args.Fail(tools.Errorf(tools.CodeMissingField, "The call does not say what to look for.").On("text").Try(way))
	}
	if query.Has("text") && len(folded(query.Get("text"))) < 2 {
		args.Fail(invalid("text", query.Get("text"), ": it is too short", "Pass at least two characters."))
	}
	set(query, "type", names(args, "type"))
	set(query, "descendant_of", treePage(args, "descendant_of"))
	set(query, "site", s.otherSite(args))
	set(query, "locale", text(args, "locale"))
	return query
}

// A walkPosition is the next page to look at: the page of a type with that number.
type walkPosition struct {
	pageType string
	offset   int
	looked   int // pages before it, those of earlier calls among them
}

// A finder goes through the pages of one call, one type after the other: a list of several types
// does not have all fields.
type finder struct {
	answer.List
	site   *Site
	args   *tools.Args
	query  url.Values
	within url.Values // the pages to look at
	walk   *requestBudget
	task   findTask
	broken *brokenLinks // nil for another task
	census census

	at      walkPosition
	before  int            // pages that earlier calls looked at
	skipped int            // pages that are too large to read
	behind  []walkPosition // behind each page that was found
	done    bool
	why     string // it stopped, where the site is to blame
}

// find goes through the pages, from the cursor on.
func (s *Site) find(ctx context.Context, args *tools.Args) (tools.Result, error) {
	query, _ := resumed(args, findName, s.readFind(args))
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	f := &finder{site: s, args: args, query: query, within: url.Values{}, walk: s.walk(), before: numberOf(query,
		"looked")}
	f.Member, f.Wide, f.Around = kindPages, args.Room().Bytes(), f.around
	f.at = walkPosition{query.Get("at"), numberOf(query, "offset"), f.before}
	for _, name := range []string{"type", "descendant_of", "locale", "site"} {
		set(f.within, name, query.Get(name))
	}
	err := s.resolveTree(ctx, f.within)
	if err == nil {
		f.census, err = s.census(ctx, f.within, f.walk)
	}
	if err == nil {
		f.task, err = f.readTask(ctx)
	}
	if err == nil {
		err = f.run(ctx)
	}
	if err != nil {
		return tools.Result{}, s.advised(ctx, err, kindPages, f.within)
	}
	return args.List(&f.List), nil
}

// run goes through one type after the other, from the cursor on. While pages are missing after
// the last one, there are types that no list has had so far, and it reads more lists.
func (f *finder) run(ctx context.Context) (err error) {
	for n := -1; ; {
		if f.at.pageType == "" {
			n = 0
		} else if n < 0 {
			n = slices.Index(f.census.order, f.at.pageType)
		}
		missing := n == len(f.census.order) && f.at.looked+f.skipped < f.census.total
		if (n < 0 || missing) && !f.census.complete() { // below 0, another server gave the cursor
			if f.walk.left == 0 || f.walk.over() {
				return nil
			}
			if f.census, err = f.site.readOn(ctx, f.within, f.census, f.walk, 1); err != nil {
				return err
			}
			continue
		}
		if n = max(n, 0); n == len(f.census.order) {
			f.done = true
			return nil
		}
		if f.at.pageType != f.census.order[n] {
			f.at.pageType, f.at.offset = f.census.order[n], 0
		}
		if through, err := f.through(ctx); err != nil || !through {
			return err
		}
		n++
	}
}

// through goes through the pages of one type, and reports whether it got to their end.
func (f *finder) through(ctx context.Context) (bool, error) {
	query := maps.Clone(f.within)
	query.Set("type", f.at.pageType)
	query.Set("fields", "*")
	for step, more := defaultMaxLimit, true; more; {
		if !f.walk.take(1) {
			return false, nil
		}
		b, err := f.site.list(ctx, kindPages, query, step, f.at.offset)
		r, ok := errors.AsType[*siteError](err)
		large := ok && r.large
		switch {
		case large && step > 1:
			step /= 2
			continue
		case large:
			f.skipped++
			f.at.offset++
			continue
		case err != nil && f.at.looked == f.before && f.skipped == 0:
			return false, err
		case err != nil:
			f.why = words.Cut(tools.ErrorOf(err).Message, 200)
			return false, nil
		}
		if !f.look(ctx, b.items) {
			return false, ctx.Err()
		}
		f.args.Progress(f.at.looked, max(f.census.total, f.at.looked), fmt.Sprintf("looked through %s, found %d",
			words.Count(f.at.looked, "page"), len(f.Rows)))
		if n, _ := f.Fit(f.args.Room(), f.args.Budget().Flags); n < len(f.Rows) {
			return false, nil
		}
		more = f.at.offset < b.total && len(b.items) > 0
	}
	return true, nil
}

// look looks at pages, and reports whether it looked at all of them.
func (f *finder) look(ctx context.Context, pages []apiObject) bool {
	for _, i := range pages {
		if i.typeName() != f.at.pageType && slices.Contains(f.census.order, i.typeName()) {
			f.at.offset++ // it comes under its own type, with all its fields
			continue
		}
		if f.broken != nil && !f.broken.prepare(ctx, i, f.at.looked == f.before) {
			return false
		}
		f.at.offset++
		f.at.looked++
		if hits, more := collect(i, f.task.match); len(hits) > 0 {
			row := f.site.rows(kindPages, []apiObject{i}, nil, f.within.Has("site"))[0]
			f.Rows = append(f.Rows, foundPage{row, hits, more}.row())
			f.behind = append(f.behind, f.at)
		}
	}
	return ctx.Err() == nil
}

// A foundPage is a page with matches.
type foundPage struct {
	view
	Matches []pageMatch `json:"matches"`
	More    int         `json:"more,omitempty"` // further places on the page
}

// row returns the page as a row: a line for the page, and one for each match.
func (p foundPage) row() answer.Row {
	text := p.line()
	for _, h := range p.Matches {
		text += "\n  " + h.Field + ": " + h.Text
	}
	if p.More > 0 {
		text += "\n  and " + words.Count(p.More, "more place")
	}
	return answer.Row{Text: text, Object: encoded(p)}
}

// A findAnswer is the answer of wagtail_find_in_pages, without its rows.
type findAnswer struct {
	Pages      []foundPage `json:"pages"`
	LookedAt   int         `json:"lookedAt"` // pages, in this call and those before that its cursor came from
	NextCursor string      `json:"nextCursor,omitempty"`
	Note       string      `json:"note,omitempty"`
}

// around is what stands around the first n pages found, with a cursor for what is behind them.
func (f *finder) around(n int) answer.Around {
	at, done := f.at, f.done
	if n < len(f.Rows) {
		at, done = f.behind[n-1], false
	}
	object := findAnswer{Pages: []foundPage{}, LookedAt: at.looked}
	first, onward := f.task.found(n), ""
	if f.before > 0 {
		first += " among the pages of this part"
	}
	extent := fmt.Sprintf("Looked through %d of %s.", at.looked, words.Count(max(at.looked, f.census.total), "page"))
	if done && at.looked+f.skipped < f.census.total {
		extent += " The site was changed meanwhile: call again for the others."
	}
	if !done {
		query := maps.Clone(f.query)
		query.Set("at", at.pageType)
		query.Set("offset", strconv.Itoa(at.offset))
		query.Set("looked", strconv.Itoa(at.looked))
		object.NextCursor = encodeCursor(findName, query)
		onward = fmt.Sprintf("Pass cursor '%s' to look through the rest.", object.NextCursor)
	}
	notes := []string{first + ".", extent, onward}
	if f.why != "" {
		notes = append(notes, "Stopped there: "+f.why)
	}
	if f.skipped > 0 {
		notes = append(notes, fmt.Sprintf("%s too large to be read in a list; %s reads such a page.",
			words.Count(f.skipped, "page is", "pages are"), pageDetailsName))
	}
	notes = append(notes, f.task.note())
	object.Note = sentences(notes...)
	return answer.Around{Head: object.Note, More: onward, Object: encoded(object)}
}
