package where

import (
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/store/pattern"
	"issues-index/store/words"
)

// The names before a colon that are no fields.
var (
	predicates   = []string{"is", "has", "under", "blocks", "mentions"}
	searchFields = []string{"title", "description"} // of package search
)

// word parses a predicate, a field with a colon, or a word to search for. A minus
// before it turns it round.
func (p *parsing) word(t token) (Expr, error) {
	if err := p.count(t); err != nil {
		return nil, err
	}
	typed := t.text
	if t.glued {
		typed = t.lead
	}
	unsigned, negative := strings.CutPrefix(typed, "-")
	name, rest, colon := strings.Cut(unsigned, ":")
	key := strings.ToLower(name)
	f, isField := named(builtins, name)
	isPredicate := slices.Contains(predicates, key) || isLineField(key) && rest != "" && !t.glued
	switch {
	case colon && slices.Contains(searchFields, key):
		typed = strings.TrimSuffix(typed, unsigned) + key + ":" + rest // fulltext wants lower case
		return searchWord(t, typed, rest)
	case isField && colon && rest == "" && p.peek(0).kind == openToken: // such as label:(none)
		return nil, &SyntaxError{
			Column: t.column, Got: gotText(typed + "("), Expected: "one value after the colon", Near: f.name + " = empty",
		}
	case colon && (isPredicate || isField):
	case colon && t.glued:
		names := slices.Concat(predicates, searchFields)
		return nil, &SyntaxError{
			Column: t.column, Got: t.got(), Expected: "a field before the colon", Near: nearestName(name, names),
		}
	case colon && rest != "" && misspelt(name) != "":
		return nil, &SyntaxError{
			Column: t.column, Got: t.got(), Expected: "a field before the colon, or quotes around words to search for",
			Near: misspelt(name) + ":" + rest,
		}
	default:
		return searchWord(t, typed, "")
	}
	arg, err := argument(t, typed, rest)
	if err != nil {
		return nil, err
	}
	var found Expr = Compare{Field: f.name, Op: Equal, Values: []Operand{arg}, column: t.column, opColumn: t.column}
	if isPredicate {
		if key == "is" || key == "has" {
			arg.Text = strings.ToLower(arg.Text)
		}
		found = Predicate{Name: key, Arg: arg.Text, column: t.column, argColumn: arg.column}
	}
	if negative {
		return p.not(t, func() (Expr, error) { return found, nil })
	}
	return found, nil
}

// misspelt is the name that was certainly meant by one with a wrong letter before a colon, "" for none.
func misspelt(name string) string {
	for _, known := range slices.Concat(predicates, searchFields, builtinNames()) {
		folded := strings.ToLower(name)
		swapped := len(known) > 3 && slices.Equal(
			slices.Sorted(slices.Values([]byte(folded))), slices.Sorted(slices.Values([]byte(known))),
		)
		if swapped || len(known) > 4 && words.Distance(folded, known) == 1 {
			return known
		}
	}
	return ""
}

// argument is what follows a colon: a word, or a text in quotes, but not both.
func argument(t token, typed, rest string) (Operand, error) {
	column := t.column + utf8.RuneCountInString(typed) - utf8.RuneCountInString(rest)
	arg := Operand{Text: rest, Quoted: t.glued, column: column}
	if t.glued {
		arg.Text = t.text
	}
	if arg.Text == "" || t.glued && rest != "" {
		return Operand{}, &SyntaxError{Column: arg.column, Got: t.got(), Expected: "one value after the colon"}
	}
	return arg, nil
}

// searchWord is a word that is searched for. rest is what stands between its colon
// and its quotes.
func searchWord(t token, typed, rest string) (Expr, error) {
	switch {
	case !t.glued:
		return Search{{Text: typed, column: t.column}}, nil
	case rest != "":
		return nil, t.expected("one value after the colon")
	}
	return Search{{Text: t.text, Phrase: true, Lead: typed, column: t.column}}, nil
}

// plainValue is a value that needs no quotes.
var plainValue = pattern.Lazy(`^[\p{L}\p{N}][\p{L}\p{N}_./@-]*$`)

// Value writes a value as criteria take it: as a person would, "" as empty.
func Value(text string) string {
	switch {
	case text == "":
		return emptyText
	case plainValue().MatchString(text) && !slices.Contains(keywords, strings.ToLower(text)):
		return text
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
