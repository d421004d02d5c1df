package issues

import (
	"context"
	"slices"
	"strings"

	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/markdown"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

const (
	editName = "issues_edit"
	maxEdits = 20

	// maxEditTokens bounds what an edit answers. With a note of the server it stays under
	// 500: an agent edits often, and has the text already.
	maxEditTokens = 440
)

// An editAnswer answers issues_edit, with a line for each edit as its changes.
type editAnswer struct {
	revision
	Outline []string `json:"outline,omitempty"` // the headings that are new or have another text
	Boxes   string   `json:"boxes,omitempty"`   // as 4/5, when boxes were checked or unchecked
}

func editText(w *edit.Writer) tools.Tool {
	ops := `{"type":"string","enum":["` + strings.Join(opNames, `","`) + `"]}`
	return tools.Tool{
		Name: editName,
		Description: "Edit parts of one issue's text, all edits or none. Writes. " +
			"append adds at the end (best for notes); *_section and insert_* need section (a heading or A > B), " +
			"replace needs find (exact, occurs count times), check and uncheck need boxes: numbers, or '3 text' as a guard.",
		// Two texts inserted at one place change places when the call is repeated, and so do
		// two strings that are swapped: the hint promises that nothing does.
		Idempotent: false,
		Takes:      editArguments,
		IDs:        []string{"id"},
		Input: tools.ObjectSchema(`"id":`+anyText+`,"edits":{"type":"array","items":`+
			string(tools.ObjectSchema(`"op":`+ops+`,"section":`+anyText+`,"find":`+anyText+`,"count":`+number+`,"text":`+anyText+
				`,"boxes":`+anyTexts, "op"))+
			`},`+ifVersion, "id", "edits"),
		Output: tools.ObjectSchema(revisionProperties+`,"outline":`+anyTexts+`,"boxes":`+anyText, "id", "changes", "path"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			ref := readRef(args)
			edits, example := readEdits(args)
			if err := args.Err(); err != nil {
				return tools.Result{}, withCall(err, namingOf(args).given(ref.ID), example)
			}
			done, err := w.Edit(ctx, ref, edits)
			if err != nil {
				return tools.Result{}, err
			}
			return revised(args, done.Applied, func(r revision) tools.Result { return edited(r, done, edits) }), nil
		},
	}
}

// edited tells what each edit did, with less of the texts in it until it is short enough.
func edited(r revision, done edit.Edited, edits []markdown.TextEdit) tools.Result {
	lines := editLines(done, edits)
	headings := newHeadings(markdown.Outline(done.Before.Body), markdown.Outline(done.After.Body))
	boxes := boxCount(done)
	var result tools.Result
	whole := 0
	for i, most := range []struct{ line, outline int }{{200, 600}, {100, 400}, {50, 300}, {30, 200}, {16, 100}} { // bytes
		r.Changes = make([]string, len(lines))
		for k, line := range lines {
			r.Changes[k] = words.CutBytes(line, most.line)
		}
		a := editAnswer{r, shortOutline(headings, most.outline), boxes}
		result = tools.Result{Text: a.text(done.Changed), Structured: a}
		size := result.Size()
		if i == 0 {
			whole = size
		} else {
			result.Outcome, result.Original = tools.OutcomeSummarized, whole
		}
		if answer.Estimate(size) <= maxEditTokens {
			break
		}
	}
	return result
}

// editLines are a line for each edit, and one for each field that changed with the text,
// such as a title that is its first heading.
func editLines(done edit.Edited, edits []markdown.TextEdit) []string {
	var lines []string
	for i, part := range done.Parts {
		what := string(part.Op)
		if n := len(edits[i].Boxes); n > 1 {
			what += " " + words.Count(n, "box", "boxes")
		}
		lines = append(lines, tools.Line(what+": "+part.Says))
	}
	others := slices.DeleteFunc(slices.Clone(changesIn(done.Applied)),
		func(c store.FieldChange) bool { return c.Field == "description" })
	return append(lines, changesOf(others, batchLength)...)
}

// newHeadings are the headings of a text that the text before did not have. Those that
// only moved are not among them.
func newHeadings(before, after []markdown.Heading) (found []markdown.Heading) {
	left, ahead := make(map[headingName]int), make(map[headingName]int) // how many of a name are still to come
	for _, h := range before {
		left[nameOf(h)]++
	}
	for _, h := range after {
		ahead[nameOf(h)]++
	}
	for _, h := range after {
		// A heading that does not come again is gone, and not what h stands before.
		for len(before) > 0 && nameOf(before[0]) != nameOf(h) && ahead[nameOf(before[0])] == 0 {
			before = before[1:]
		}
		ahead[nameOf(h)]--
		if len(before) > 0 && nameOf(before[0]) == nameOf(h) {
			before = before[1:]
			left[nameOf(h)]--
		} else {
			found = append(found, h)
		}
	}
	return slices.DeleteFunc(found, func(h markdown.Heading) bool {
		left[nameOf(h)]--
		return left[nameOf(h)] >= 0
	})
}

// A headingName is what tells headings apart wherever they stand.
type headingName struct {
	level int
	text  string
}

func nameOf(h markdown.Heading) headingName { return headingName{h.Level, h.Text} }

// shortOutline is an outline in so many bytes. It says how many headings are missing, even
// when it has room for none.
func shortOutline(headings []markdown.Heading, size int) []string {
	outline := answer.Outline(headings, size, maxEdits)
	if outline == nil && len(headings) > 0 {
		return []string{words.Count(len(headings), "new heading")}
	}
	return outline
}

// boxCount is how many boxes of the text are checked, such as 4/5, "" when no edit was
// about boxes.
func boxCount(done edit.Edited) string {
	if !slices.ContainsFunc(done.Parts, func(p markdown.TextChange) bool { return !p.Op.TakesText() }) {
		return ""
	}
	return markdown.CountBoxes(done.After.Body).String()
}

func (a editAnswer) text(changed bool) string {
	var others []string
	if len(a.Outline) > 0 {
		others = append([]string{"new headings:"}, a.Outline...)
	}
	if a.Boxes != "" {
		others = append(others, "boxes: "+a.Boxes)
	}
	return a.lines("Edited", changed, others...)
}
