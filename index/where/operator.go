package where

import "strings"

// A spokenWord is a word to search for, as it stands among others.
type spokenWord struct {
	SearchWord
	negated bool
}

// missingOperator refuses words to search for that look like a comparison without its operator:
// a field of known values, and right behind it one of these. They would find next to nothing,
// without a word about why. parts stand side by side.
func (e *Env) missingOperator(parts []Expr) error {
	spoken := spokenWords(parts)
	for i, w := range spoken {
		f, ok := builtinNamed(w.Text)
		if !ok || f.kind != choiceField || w.Phrase || w.negated || strings.HasPrefix(w.Text, "-") {
			continue
		}
		behind := spoken[i+1:]
		if len(behind) > 0 && (strings.EqualFold(behind[0].Text, "in") || strings.EqualFold(behind[0].Text, "is")) {
			behind = behind[1:]
		}
		if len(behind) == 0 || behind[0].Phrase || strings.HasPrefix(behind[0].Text, "-") {
			continue
		}
		if value, known := e.choices(f.name).Resolve(behind[0].Text); known {
			op := Equal
			if behind[0].negated {
				op = NotEqual
			}
			meant := (&Criteria{Where: Compare{Field: f.name, Op: op, Values: []Operand{newOperand(value, true, 0)}}}).String()
			return &SyntaxError{
				Column: behind[0].column, Got: gotText(behind[0].Text),
				Expected: "an operator before it, or quotes around words to search for", Near: meant,
			}
		}
	}
	return nil
}

// spokenWords are the words of parts side by side. A word without a text stands for what is not
// searched for.
func spokenWords(parts []Expr) (all []spokenWord) {
	for _, part := range parts {
		inner, negated := part, false
		if not, ok := part.(Not); ok {
			inner, negated = not.Expr, true
		}
		search, ok := inner.(Search)
		if !ok {
			all = append(all, spokenWord{})
		}
		for _, w := range search {
			all = append(all, spokenWord{w, negated})
		}
	}
	return all
}
