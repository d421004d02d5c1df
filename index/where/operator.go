package where

import (
	"fmt"
	"strings"
)

// missingOperator refuses words to search for that look like a comparison without its operator:
// a field of known values, and right behind it one of these. They would find next to nothing,
// without a word about why. meant is the likely operator.
func (e *Env) missingOperator(s Search, meant Operator) error {
	for i, w := range s {
		f, ok := named(builtins, w.Text)
		if !ok || f.kind != choiceField || w.Phrase || strings.HasPrefix(w.Text, "-") {
			continue
		}
		behind := s[i+1:]
		if len(behind) > 1 && (strings.EqualFold(behind[0].Text, "in") || strings.EqualFold(behind[0].Text, "is")) {
			behind = behind[1:]
		}
		if len(behind) == 0 || behind[0].Phrase || strings.HasPrefix(behind[0].Text, "-") {
			continue
		}
		if _, known := e.Choices[f.name].Resolve(behind[0].Text); known {
			return &SyntaxError{
				Column: behind[0].column, Got: gotText(behind[0].Text),
				Expected: "an operator before it, or quotes around words to search for",
				Near:     fmt.Sprintf("%s %s %s", f.name, meant, behind[0].Text),
			}
		}
	}
	return nil
}
