package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"issues-index/index/where"
	"issues-index/store/words"
	"issues-index/tools/answer"
)

// String returns a string as it was sent. A number stands for its digits.
func (a *Args) String(name string) string { return a.text(name, "a string") }

// text returns a string's text or a number's digits, also of a list of one.
func (a *Args) text(name, expected string) string {
	if !a.Has(name) {
		return ""
	}
	text, ok := scalar(a.values[name])
	if !ok {
		if items, isList := list(a.values[name]); isList && len(items) == 1 {
			return items[0]
		}
		a.wrong(name, expected)
	}
	return text
}

// Required returns a string that must be there and not be blank.
func (a *Args) Required(name string) string {
	text := a.String(name)
	if strings.TrimSpace(text) == "" {
		a.Missing(name)
	}
	return text
}

// Enum returns one of the allowed values, "" when none is given. Case is
// ignored, and so is how the words of a value are joined: `In Progress`. Other
// words for a value are taken, too: `done`.
func (a *Args) Enum(name string, allowed ...string) string {
	return a.Choice(name, words.Only(allowed...))
}

// Choice is Enum of values that other words may stand for.
func (a *Args) Choice(name string, allowed words.ValueSet) string {
	text := strings.TrimSpace(a.String(name))
	if text == "" {
		return ""
	}
	if values := a.allowed(name, text, allowed); values != nil {
		return values[0]
	}
	return ""
}

// RequiredEnum is an Enum that must be there.
func (a *Args) RequiredEnum(name string, allowed ...string) string {
	if strings.TrimSpace(a.String(name)) == "" {
		a.Missing(name)
		return ""
	}
	return a.Enum(name, allowed...)
}

// Enums returns a list of allowed values without repeats, read as Names and Enum
// are. Spelled as none of them is, a name stands for each that Enum would take it for.
func (a *Args) Enums(name string, allowed ...string) []string {
	return a.Choices(name, words.Only(allowed...))
}

// Choices is Enums of values that other words may stand for.
func (a *Args) Choices(name string, allowed words.ValueSet) []string {
	var values []string
	add := func(value string) {
		if !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	for _, item := range a.Strings(name) {
		if slices.Contains(allowed.Allowed, item) { // though it has a comma
			add(item)
			continue
		}
		for _, text := range commaSeparated(item) {
			for _, value := range a.allowed(name, text, allowed) {
				add(value)
			}
		}
	}
	return values
}

// allowed returns the values that a text means: several only where documents have both
// `To Do` and `To do`.
func (a *Args) allowed(name, text string, allowed words.ValueSet) []string {
	values, note, err := allowed.Choose(a.prefix+name, text)
	if note != "" {
		a.Note(note)
	}
	if wrong := (*words.ChoiceError)(nil); errors.As(err, &wrong) {
		leaveOut := ""
		if a.call.tool.ReadOnly {
			leaveOut = a.prefix + name
		}
		a.Fail(ErrorOf(wrong).Try("%s", wrong.Advice(leaveOut)))
	}
	return values
}

// Int returns a whole number between least and most, byDefault when none is given.
func (a *Args) Int(name string, least, most, byDefault int) int {
	text := strings.TrimSpace(a.text(name, "a whole number"))
	if text == "" {
		return byDefault
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(number, 0) || math.IsNaN(number) {
		a.wrong(name, "a whole number")
		return byDefault
	}
	invalid := a.invalid(name, text)
	switch {
	case number > float64(most):
		a.Fail(invalid.Try("The maximum is %d.", most))
	case number < float64(least):
		a.Fail(invalid.Try("The minimum is %d.", least))
	case number != math.Trunc(number):
		a.Fail(invalid.Try("Pass a whole number from %d to %d.", least, most))
	default:
		return int(number)
	}
	return byDefault
}

// AtMost is an Int from 1 to most that takes a larger number for the maximum, with a
// note.
func (a *Args) AtMost(name string, most, byDefault int) int {
	text := strings.TrimSpace(a.text(name, "a whole number"))
	if number, err := strconv.ParseFloat(text, 64); err == nil && number > float64(most) {
		a.Note(fmt.Sprintf("%s %s is over the maximum of %d, which was used", a.prefix+name, Plain(text), most))
		return most
	}
	return a.Int(name, 1, most, byDefault)
}

// Bool returns a truth value, false when none is given.
func (a *Args) Bool(name string) bool {
	if !a.Has(name) {
		return false
	}
	switch text := strings.ToLower(string(a.values[name])); strings.Trim(text, `" `) {
	case "true":
		return true
	case "false", "":
	default:
		a.wrong(name, "true or false")
	}
	return false
}

// Time returns a time that where.ParseTime reads; the zero time when none is given.
func (a *Args) Time(name string) time.Time {
	text := strings.TrimSpace(a.text(name, "a date"))
	if text == "" {
		return time.Time{}
	}
	if when, ok := where.ParseTime(text, time.Now()); ok {
		return when
	}
	a.Fail(a.invalid(name, text).Try("Pass %s.", where.TimeForms))
	return time.Time{}
}

// Passage reads the arguments section, startLine and endLine.
func (a *Args) Passage() answer.Passage {
	p := answer.Passage{
		Section: a.String("section"),
		Start:   a.Int("startLine", 1, math.MaxInt32, 0),
		End:     a.Int("endLine", 1, math.MaxInt32, 0),
	}
	switch {
	case p.Section != "" && p.Start+p.End > 0:
		a.Fail(Errorf(CodeValidation, "section and startLine or endLine were both given.").
			On("section").Try("Pass either a section or lines."))
	case p.End > 0 && p.End < p.Start:
		a.Fail(Errorf(CodeValidation, "Invalid endLine %d: it is before startLine %d.", p.End, p.Start).
			On("endLine").Try("Pass endLine %d or more, or leave it out to read to the end.", p.Start))
	}
	return p
}

// scalar returns a JSON string's text or a JSON number's digits.
func scalar(raw json.RawMessage) (string, bool) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0:
	case raw[0] == '"':
		var text string
		err := json.Unmarshal(raw, &text)
		return text, err == nil
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return string(raw), json.Valid(raw)
	}
	return "", false
}
