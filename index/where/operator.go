package where

import (
	"fmt"
	"slices"
	"strings"
)

// timeWords are what people write behind a field with a time in place of an operator.
var timeWords = []string{
	"after", "before", "between", "in", "last", "next", "newer", "older", "on", "since", "this", "today", "until",
	"within", "yesterday",
}

// missingOperator refuses words to search for that look like a comparison without its operator: a
// field of known values, and right behind it one of these, or a field with a time, and behind it what
// people say of times. They would find next to nothing, without a word about why. meant is the likely
// operator.
func (e *Env) missingOperator(s Search, meant Operator) error {
	for i, w := range s {
		f, ok := named(builtins, w.Text)
		if !ok || w.Phrase || strings.HasPrefix(w.Text, "-") {
			continue
		}
		behind := s[i+1:]
		isOrIn := len(behind) > 1 && slices.Contains([]string{"in", "is"}, strings.ToLower(behind[0].Text))
		if isOrIn && f.kind == choiceField {
			behind = behind[1:]
		}
		if len(behind) == 0 || behind[0].Phrase || strings.HasPrefix(behind[0].Text, "-") {
			continue
		}
		next := behind[0]
		wrong := &SyntaxError{
			Column: next.column, Got: gotText(next.Text),
			Expected: "an operator before it, or quotes around words to search for",
		}
		switch f.kind {
		case choiceField:
			if _, known := e.Choices[f.name].Resolve(next.Text); known {
				wrong.Near = fmt.Sprintf("%s %s %s", f.name, meant, next.Text)
				return wrong
			}
		case timeField:
			_, isTime := ParseTime(next.Text, e.Now)
			if isTime || slices.Contains(timeWords, strings.ToLower(next.Text)) {
				wrong.Near = f.name + " >= -7d"
				if strings.EqualFold(next.Text, "between") {
					wrong.Near = fmt.Sprintf("%s >= 2026-01-01 and %[1]s < 2026-02-01", f.name)
				}
				return wrong
			}
		}
	}
	return nil
}
