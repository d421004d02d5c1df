package words

import (
	"fmt"
	"slices"
	"strings"
)

// A ChoiceError says that a text means none of the values that something may have.
type ChoiceError struct {
	What  string // has the values, such as status
	Text  string
	Valid []string
	Near  string // the value that was probably meant, "" for none
	Why   string // the text is none of them, "" where they say it themselves
	All   bool   // the text asks for every value
}

func (e *ChoiceError) Error() string { return fmt.Sprintf("invalid %s %q", e.What, e.Text) }

// Advice lists what is understood, in sentences. leaveOut says how to ask for every value, "" where
// that cannot be asked for.
func (e *ChoiceError) Advice(leaveOut string) string {
	advice := "Valid values: " + strings.Join(e.Valid, ", ") + "."
	switch {
	case e.Near != "":
		return "Did you mean " + e.Near + "? " + advice
	case e.All && leaveOut != "":
		return "Leave " + leaveOut + " out for all. " + advice
	}
	return advice
}

// Choose returns the values that a text means: the one that is spelled so, else all that differ
// from it in letter case, blanks, - and _ alone, else the one that another word certainly stands
// for, which note says. Without an error there is one value or more. Error: *ChoiceError.
func (v ValueSet) Choose(what, text string) (values []string, note string, err error) {
	if slices.Contains(v.Allowed, text) {
		return []string{text}, "", nil
	}
	for _, value := range v.Allowed {
		if Fold(value) == Fold(text) {
			values = append(values, value)
		}
	}
	if values != nil {
		return values, "", nil
	}
	if value := v.Understood(text); value != "" {
		return []string{value}, fmt.Sprintf("%s %s was taken for %s", what, Quote(text), value), nil
	}
	every := slices.Contains([]string{"all", "any", "*", "every", "everything"}, Fold(text))
	return nil, "", &ChoiceError{What: what, Text: text, Valid: v.Allowed, Near: v.Suggested(text), All: every}
}
