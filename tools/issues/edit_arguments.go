package issues

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"issues-index/store/markdown"
	"issues-index/store/pattern"
	"issues-index/store/words"
	"issues-index/tools"
)

// editArguments are the arguments of one edit. A call with one edit may have them beside
// the id.
var editArguments = []string{"op", "section", "find", "count", "text", "boxes"}

var opNames = func() (names []string) {
	for _, op := range markdown.Ops {
		names = append(names, string(op))
	}
	return names
}()

// readEdits reads the edits of a call. Where one is wrong, the example is the first such.
func readEdits(args *tools.Args) (edits []markdown.TextEdit, example markdown.TextEdit) {
	example.Op = markdown.Append
	alone := slices.ContainsFunc(editArguments, args.Has)
	switch {
	case alone && args.Has("edits"):
		args.Fail(tools.Errorf(tools.CodeValidation, "Both edits and the arguments of one edit were given.").On("edits").
			Try("Pass all of them in edits."))
		return nil, example
	case alone:
		e, err := readEdit(args)
		if err != nil {
			args.Fail(err)
		}
		return []markdown.TextEdit{e}, e
	}
	sound := true
	for i, item := range args.Items("edits", maxEdits, "op") {
		e, wrong := readEdit(item)
		edits = append(edits, e)
		if err := item.Err(); err != nil {
			wrong = tools.ErrorOf(err)
		} else if wrong != nil {
			wrong.Message = fmt.Sprintf("edits[%d]: %s", i, wrong.Message)
			wrong.Field = fmt.Sprintf("edits[%d].%s", i, wrong.Field)
		}
		if wrong != nil && sound {
			example, sound = e, false
		}
		if wrong != nil {
			args.Fail(wrong)
		}
	}
	return edits, example
}

// readEdit reads one edit. The error says what it lacks, or has too much of; arguments that
// cannot be read are in args.
func readEdit(args *tools.Args) (markdown.TextEdit, *tools.Error) {
	e := markdown.TextEdit{
		Section: sectionName(args), Find: args.String("find"), Text: args.String("text"),
		Count: args.Int("count", 0, math.MaxInt32, 1),
	}
	boxes, wrong := readBoxes(args)
	e.Boxes = boxes
	e.Op = markdown.Op(words.Only(opNames...).Synonym(args.String("op")))
	if e.Op == "" {
		e.Op = markdown.Op(args.Enum("op", opNames...))
	}
	if e.Op == "" && e.Find != "" {
		e.Op = markdown.Replace
	}
	if wrong != nil || args.Err() != nil {
		return e, wrong
	}
	switch {
	case e.Op == markdown.Append && e.Section != "":
		e.Op = markdown.AppendSection
	case !e.Op.TakesText() && len(e.Boxes) == 1 && e.Boxes[0].Text == "":
		e.Boxes[0].Text, e.Text = e.Text, "" // which box it is
	}
	return e, incomplete(e, args.Has("text"))
}

// incomplete says which argument an edit lacks, or has too much of. A text that was given
// may be empty where it replaces something.
func incomplete(e markdown.TextEdit, texted bool) *tools.Error {
	missing := func(name, what string) *tools.Error {
		return tools.Errorf(tools.CodeMissingField, "%s is missing%s.", name, what).On(name)
	}
	replaces := e.Op == markdown.ReplaceSection || e.Op == markdown.Replace
	switch {
	case e.Op == "" && len(e.Boxes) > 0:
		return missing("op", ": check or uncheck")
	case e.Op == "" && e.Section != "":
		return missing("op", ": append_section, replace_section, insert_before or insert_after")
	case e.Op == "":
		return missing("op", ", one of "+strings.Join(opNames, ", "))
	case e.Op.NeedsSection() && strings.TrimSpace(e.Section) == "":
		return missing("section", ": "+string(e.Op)+" needs a heading")
	case e.Op == markdown.Replace && e.Find == "" && e.Section != "":
		return missing("find", "; op replace_section replaces all under a heading")
	case e.Op == markdown.Replace && e.Find == "":
		return missing("find", ": the exact text to replace")
	case !e.Op.TakesText() && len(e.Boxes) == 0:
		return missing("boxes", ": "+string(e.Op)+" needs the numbers of boxes")
	case replaces && e.Count != 0 && !texted:
		return missing("text", "; '' removes what is there")
	case e.Op.TakesText() && !replaces && strings.TrimSpace(e.Text) == "":
		return missing("text", "")
	}
	var surplus string
	switch {
	case e.Find != "" && e.Op != markdown.Replace:
		surplus = "find"
	case e.Section != "" && e.Op == markdown.Prepend:
		surplus = "section"
	case e.Count != 1 && e.Op != markdown.Replace:
		surplus = "count"
	case len(e.Boxes) > 0 && e.Op.TakesText():
		surplus = "boxes"
	case e.Text != "" && !e.Op.TakesText():
		surplus = "text"
	default:
		return nil
	}
	return tools.Errorf(tools.CodeValidation, "op %s takes no %s.", e.Op, surplus).On(surplus)
}

// sectionName reads the name of a section, also from an object such as {heading: "Notes"}.
func sectionName(args *tools.Args) string {
	if bytes.HasPrefix(args.JSON("section"), []byte("{")) {
		return args.Object("section", "section").String("section")
	}
	return args.String("section")
}

// boxForm is a box as a number, perhaps with its text, such as "3 Write tests" or the line
// `3 [ ] Write tests`.
var boxForm = pattern.Lazy(`^#?(\d{1,9})[.:)]?(?:\s+(?:\[[ xX]?\]\s*)?(.*))?$`)

// boxNumbers are several boxes in one text.
var boxNumbers = pattern.Lazy(`^\d+(\s*,\s*\d+)+$`)

// maxBoxes is the most boxes of one edit: each is looked for among all of the text.
const maxBoxes = 1000

// readBoxes reads which boxes an edit is about.
func readBoxes(args *tools.Args) (refs []markdown.BoxRef, wrong *tools.Error) {
	elements := args.Elements("boxes")
	if len(elements) == 1 {
		if numbers := args.JSON("boxes"); boxNumbers().Match(bytes.Trim(numbers, `" `)) {
			for _, n := range args.Names("boxes") {
				elements = append(elements, json.RawMessage(n))
			}
			elements = elements[1:]
		}
	}
	if len(elements) > maxBoxes {
		return nil, tools.Errorf(tools.CodeValidation, "Too many boxes: %d, the maximum is %d.", len(elements), maxBoxes).
			On("boxes").Try("Split them over several edits.")
	}
	for _, element := range elements {
		ref, ok := boxRef(element)
		if !ok {
			return nil, tools.Errorf(tools.CodeValidation, "Invalid boxes: got %s.", tools.Plain(string(element))).On("boxes").
				Try("Pass numbers, each perhaps with its text: [1, '3 Write tests'] or [{n: 3, text: 'Write tests'}].")
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// boxRef reads a box: a number, a text of boxForm, or an object with both.
func boxRef(element json.RawMessage) (ref markdown.BoxRef, ok bool) {
	var value any
	if json.Unmarshal(element, &value) != nil {
		return ref, false
	}
	text := ""
	if members, isObject := value.(map[string]any); isObject {
		value = nil
		for name, member := range members {
			switch words.Fold(name) {
			case "n", "number", "box", "index":
				value = member
			case "text":
				text = fmt.Sprint(member)
			default:
				return ref, false
			}
		}
	}
	parts := boxForm().FindStringSubmatch(words.OneLine(fmt.Sprint(value)))
	if parts == nil {
		return ref, false
	}
	ref.N, _ = strconv.Atoi(parts[1]) // up to nine digits
	ref.Text = strings.TrimSuffix(cmp.Or(text, parts[2]), "…")
	return ref, true
}

// withCall adds the call to make to what is wrong with the arguments of one.
func withCall(err error, id string, e markdown.TextEdit) error {
	const room = 440 // bytes of an error's text beside its code
	wrong := *tools.ErrorOf(err)
	call := "Try: " + callOf(id, e)
	if len(wrong.Message)+len(wrong.Remediation)+len(call) > room {
		wrong.Remediation = ""
	}
	wrong.Message = words.CutBytes(wrong.Message, room-len(call))
	return wrong.Try("%s", strings.TrimSpace(wrong.Remediation+" "+call))
}

// callOf is a call with one edit: what was given where it is short, and … for the rest.
func callOf(id string, e markdown.TextEdit) string {
	const most = 40 // bytes
	given := func(value, otherwise string) string {
		if value == "" || len(value) > most || value != tools.Line(value) || strings.Contains(value, "'") {
			value = otherwise
		}
		return "'" + value + "'"
	}
	if e.Op == "" {
		switch {
		case len(e.Boxes) > 0:
			e.Op = markdown.Check
		case e.Section != "":
			e.Op = markdown.AppendSection
		default:
			e.Op = markdown.Append
		}
	}
	call := "op: '" + string(e.Op) + "'"
	if e.Op.NeedsSection() || e.Section != "" && e.Op != markdown.Prepend {
		call += ", section: " + given(e.Section, "Notes")
	}
	if e.Op == markdown.Replace {
		call += ", find: " + given(e.Find, "…")
	}
	if e.Op.TakesText() {
		call += ", text: '…'"
	} else {
		n := 3
		if len(e.Boxes) > 0 {
			n = e.Boxes[0].N
		}
		call += fmt.Sprintf(", boxes: [%d]", n)
	}
	return fmt.Sprintf("%s {id: %s, edits: [{%s}]}", editName, given(id, "ISS-000042"), call)
}
