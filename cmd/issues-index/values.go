package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/words"
	"issues-index/tools"
)

// noValue filters for documents that have none.
const noValue = "(none)"

// meant is the value that a text stands for by its spelling, "" for none; another word
// stands for one, too, where synonyms is set.
func meant(text string, values []string, synonyms bool) string {
	if value, ok := store.Respell(text, values); ok {
		return value
	}
	if !synonyms {
		return ""
	}
	return tools.Synonym(text, values)
}

// oneOf returns the value that is meant by the spelling of a text, and refuses what is
// none of the allowed ones.
func oneOf(cmd *cobra.Command, what, text string, allowed []string) (string, error) {
	if value := meant(text, allowed, false); value != "" {
		return value, nil
	}
	return "", notOneOf(cmd, what, text, allowed)
}

func notOneOf(cmd *cobra.Command, what, text string, allowed []string) error {
	f := usage(cmd, fmt.Sprintf("invalid %s %q", what, text))
	f.hint = "valid values: " + strings.Join(allowed, ", ")
	near := meant(text, allowed, true)
	if near == "" {
		near = words.Nearest(text, allowed)
	}
	if near != "" {
		f.hint = "did you mean " + near + "? " + f.hint
	}
	return f
}

// settleFilter gives the statuses and priorities of a filter the spelling that documents
// have. Documents may have others than the usual ones; one that is neither usual nor
// any document's is refused, for it is more often a slip.
func (p *program) settleFilter(cmd *cobra.Command, ix *index.Index, f *index.Filter) error {
	for _, part := range []struct {
		field        string
		given, usual []string
	}{{"status", f.Statuses, store.Statuses}, {"priority", f.Priorities, store.Priorities}} {
		if !slices.ContainsFunc(part.given, func(text string) bool { return !slices.Contains(part.usual, text) && text != noValue }) {
			continue
		}
		found, err := ix.Values(cmd.Context(), index.ValuesQuery{Field: part.field, Set: true, Limit: -1})
		if err != nil {
			return err
		}
		values := slices.Clone(part.usual)
		for _, c := range found.Counts {
			if !slices.Contains(values, c.Value) {
				values = append(values, c.Value)
			}
		}
		for i, text := range part.given {
			if text == noValue {
				continue
			}
			value := meant(text, values, true)
			if word := strings.ToLower(text); value == "" && (word == "all" || word == "any") {
				f := usage(cmd, fmt.Sprintf("invalid %s %q", part.field, text))
				f.hint = "leave --" + part.field + " out to see every " + part.field
				return f
			}
			if value == "" {
				return notOneOf(cmd, part.field, text, append(values, noValue))
			}
			if meant(text, values, false) == "" {
				fmt.Fprintf(p.errOut, "note: no document has the %s %q; it is taken for %s\n", part.field, oneLine(text), oneLine(value))
			}
			part.given[i] = value
		}
	}
	return nil
}
