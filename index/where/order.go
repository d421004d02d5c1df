package where

import "strings"

// sortColumns are what built-in fields are sorted by, where that is not the folded
// column.
var sortColumns = map[string]string{
	"id":       "CAST(id_number AS INTEGER)",
	"type":     "type",
	"status":   "status_rank",
	"priority": "priority_rank",
	"created":  "created",
	"updated":  "iif(undated = 1, NULL, updated)", // the time of a file is none: a checkout sets it
	"closed":   "closed",
}

// OrderBy returns the terms of the ORDER BY that the criteria ask for, "" for none.
// Documents without a field come last. Errors: *SyntaxError.
func OrderBy(c *Criteria, env *Env) (Condition, error) {
	var terms []string
	var order Condition
	for _, s := range c.Sort {
		f, err := env.field(s.Field, s.column)
		if err != nil {
			return Condition{}, err
		}
		direction := ""
		if s.Desc {
			direction = " DESC"
		}
		by, known := sortColumns[f.name]
		switch {
		case f.kind == extraField:
			// The first of a list's items. SQLite has numbers before texts.
			term := "(SELECT coalesce(number, time, " + folded("text") + ") FROM field" +
				" WHERE key = ? AND field.doc = document.doc ORDER BY item LIMIT 1)"
			terms = append(terms, term+direction+" NULLS LAST")
			order.Args = append(order.Args, f.name)
			continue
		case f.kind == labelsField:
			return Condition{}, &SyntaxError{
				Column: s.column, Got: gotText(s.Field), Expected: "a field to sort by, of which a document has one value",
			}
		case !known:
			by = "nullif(" + folded(f.name) + ", '')"
		}
		terms = append(terms, by+direction+" NULLS LAST")
	}
	order.SQL = strings.Join(terms, ", ")
	return order, nil
}
