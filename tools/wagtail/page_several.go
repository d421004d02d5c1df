package wagtail

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// mostPages is the most pages that one call reads.
const mostPages = 10

// A missingPage is a page that could not be read, and the reason.
type missingPage struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// several answers with the pages of the argument ids. A page that cannot be read does
// not keep the others from being shown.
func (s *Site) several(ctx context.Context, args *tools.Args) (tools.Result, error) {
	given := args.RequiredIDs("ids", mostPages)
	for _, name := range []string{"id", "section", "cursor"} {
		if args.Has(name) {
			args.Fail(tools.Errorf(tools.CodeValidation, "%s does not go with ids.", name).On(name).
				Try("Pass ids, fields, locale and maxTokens, or read one page with id."))
		}
	}
	fields := readFields(args, pageIdentity+",first_published_at", true)
	who := make([]identity, len(given))
	language := text(args, "locale")
	for n, id := range given {
		who[n] = s.identified(args, "ids", sendable(args, "ids", id), language)
	}
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	items, failures := make([]apiObject, len(who)), make([]error, len(who))
	_ = each(len(who), func(n int) error {
		items[n], who[n], failures[n] = s.page(ctx, who[n], fields)
		return nil
	})
	if ctx.Err() != nil {
		return tools.Result{}, ctx.Err()
	}
	missing := []missingPage{}
	pages := answer.List{Member: kindPages, Asked: true}
	var views []view
	for n, err := range failures {
		if err != nil {
			missing = append(missing, missingPage{tools.Plain(given[n]), words.Cut(tools.ErrorOf(err).Message, 200)})
			continue
		}
		texts, rest := s.texts(ctx, items[n], who[n].site, fields, maxTargets/len(who), args.Note)
		v := s.viewOf(kindPages, items[n], rest, selectionOf(fields))
		v.Text = joinFields(texts)
		views, pages.Rows = append(views, v), append(pages.Rows, v.documentRow())
	}
	if len(views) == 0 {
		return tools.Result{}, tools.ErrorOf(failures[0])
	}
	widths := make([]int, len(views))
	for n := range views {
		widths[n] = pages.Taken(n)
	}
	pages.Wide = answer.Share(widths, args.Room().Bytes()*9/10)
	pages.Narrow = func(n int) (answer.Row, bool) {
		row := views[n].within(pages.Taken(n) * 7 / 8)
		row.Omitted = "text"
		return row, len(row.Object) < len(pages.Rows[n].Object)
	}
	pages.Around = func(n int) answer.Around {
		notes := []string{fmt.Sprintf("%d of %s.", n, words.Count(n+len(missing), "page"))}
		if answer.Omissions(pages.Rows[:n]) != "" {
			notes = append(notes, "Long texts and fields are cut. Read each page with id, or pass maxTokens or fields.")
		}
		for _, m := range missing {
			notes = append(notes, tools.Quote(m.ID)+": "+m.Error)
		}
		object := map[string]any{kindPages: []view{}, "notFound": missing}
		if len(notes) > 1 {
			object["note"] = sentences(notes[1:]...)
		}
		return answer.Around{Head: sentences(notes...), Object: encoded(object)}
	}
	return args.List(&pages), nil
}

// documentRow returns the view as a row that is a document.
func (v view) documentRow() answer.Row {
	row := answer.Row{Text: v.heading(kindPages) + v.lines(""), Block: true, Object: encoded(v)}
	if v.TextLeft > 0 {
		row.Text += fmt.Sprintf("\nleft out of the text: %d characters", v.TextLeft)
	}
	if text := v.Text; text != "" {
		row.Body = &text
	}
	return row
}

// within returns the view as a row of about so many bytes: with its long fields cut, and its text
// cut at the end of a line when one is near.
func (v view) within(room int) answer.Row {
	const beside = 60 // bytes for what says that text is left out
	whole := v.Text
	v.Text = ""
	v = v.cut(max(1, answer.Share(v.sizes(), room/2)))
	rest := max(0, room-len(encoded(v))-beside)
	most := min(len(whole), rest*len(whole)/max(1, answer.Escaped(whole)))
	v.Text = strings.ToValidUTF8(whole[:most], "")
	if at := strings.LastIndexByte(v.Text, '\n'); at > most/2 && most < len(whole) {
		v.Text = v.Text[:at]
	}
	v.TextLeft = utf8.RuneCountInString(whole) - utf8.RuneCountInString(v.Text)
	return v.documentRow()
}
