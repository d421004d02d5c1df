package tools

import (
	"errors"
	"fmt"
	"strings"

	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/markdown"
	"issues-index/store/words"
)

// These are the rows of the table for what an edit of a part of a document can run into.

func otherVersion(e *store.VersionError) *Error {
	id, changed := nameable(e.ID, e.Path), moment(e.Changed)
	if len(e.Fields) > 0 {
		changed = Plain(strings.Join(e.Fields, ", ")) + "; " + changed
	}
	return Errorf(CodeConflict, "%s has changed since version %s (%s): its version is %s now. Nothing was changed.",
		id, e.Given, changed, e.Current).On("ifVersion").
		Try("Read it with issues_get {id: '%s'}, and send the change again with ifVersion: '%s' if it is still right.",
			id, e.Current)
}

func mergeConflict(e *edit.MergeConflictError) *Error {
	return Errorf(CodeConflict, "%s was changed meanwhile in the same places: %s. Nothing was changed.",
		Line(e.ID), Plain(strings.Join(e.Places, ", "))).
		Try("Read it with issues_get, and make the change again if it is still right.").
		AtTerminal("", "nothing was changed: make the change again if it is still right")
}

// failedEdit words what is wrong with one edit of several.
func failedEdit(e *markdown.TextEditError) *Error {
	if section := (*markdown.SectionError)(nil); errors.As(e.Err, &section) {
		return sectionToEdit(section).inEdit(e.Index)
	}
	return ErrorOf(e.Err).inEdit(e.Index)
}

// sectionToEdit words a section to change that is not there, or not alone.
func sectionToEdit(e *markdown.SectionError) *Error {
	const most = 8 // headings
	wrong := noSection(e, most)
	switch name := Plain(e.Heading); {
	case len(e.Candidates) == 0:
		return wrong.Try("The text has no headings. Append the section, with its heading, to the text.")
	case e.Ambiguous:
		return wrong.Try("Pass '%s#1' for the first of these, '%s#2' for the second, or a path such as 'Goals > %s':",
			name, name, name)
	}
	return wrong.Try("Pass one of these headings:")
}

// inEdit is the error of one edit of several, counted from 0.
func (e *Error) inEdit(i int) *Error {
	in := *e
	message, hint := e.Terminal()
	in.Message = fmt.Sprintf("edits[%d]: %s Nothing was changed.", i, e.Message)
	in.Field = fmt.Sprintf("edits[%d]", i)
	return in.AtTerminal(message, "nothing was changed; "+hint)
}

func missingString(e *markdown.FindError) *Error {
	message := fmt.Sprintf("find %s is in the text %s, not %d", Quote(words.OneLine(e.Find)), words.Count(e.Found,
		"time"), e.Want)
	lines := make([]string, len(e.Lines))
	for i, line := range e.Lines {
		lines[i] = fmt.Sprint(line)
	}
	wrong := Errorf(CodeValidation, "%s.", message).On("find")
	switch {
	case e.Found == 0:
		return wrong.Try("find is exact, with upper and lower case and every space. Copy it from issues_get {id, section}.")
	case e.Found > len(lines):
		lines = append(lines, "…")
	}
	wrong.Message = fmt.Sprintf("%s: at lines %s.", message, strings.Join(lines, ", "))
	if e.Want == 0 {
		return wrong.Try("count: 0 asserts that find is absent. Leave it out to replace one.")
	}
	return wrong.Try("Pass more of the text around it as find, the section that it is in, or count: %d.", e.Found)
}

func wrongBox(e *markdown.BoxError) *Error {
	const most = 40 // boxes
	wrong := Errorf(CodeValidation, "There is no box %d.", e.Ref.N).On("boxes")
	switch {
	case len(e.Boxes) == 0:
		return wrong.Try("There are none here: add one as text, such as - [ ] Write tests.")
	case e.Ref.N == 0:
		wrong.Message = "No box is named."
	}
	for i, box := range e.Boxes {
		if box.N == e.Ref.N {
			wrong.Code = CodeConflict
			wrong.Message = fmt.Sprintf("Box %d is %s, not %s.", box.N, Quote(words.OneLine(box.Text)),
				Quote(words.OneLine(e.Ref.Text)))
		}
		if i < most {
			wrong.Candidates = append(wrong.Candidates, words.Cut(box.String(), maxShown))
		}
	}
	wrong.More = len(e.Boxes) - len(wrong.Candidates)
	return wrong.Try("Pass the number and text of one of these:")
}

func unplaceableText(e *markdown.TextError) *Error {
	return Errorf(CodeValidation, "Invalid text: %s.", e.Reason).On("text").Try("Change it and send the edits again.").
		AtTerminal("", "change the text and try again")
}
