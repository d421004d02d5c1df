package where

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	_ "issues-index/store/storetest" // sizes, and rarer collections of garbage
)

// testEnv is that of ann, in UTC, on 2026-03-08.
func testEnv() *Env {
	choices := func(values ...string) Choices {
		return Choices{Values: values, Resolve: func(text string) (string, bool) {
			text = strings.ToLower(text)
			return text, slices.Contains(values, text)
		}}
	}
	return &Env{
		Now: time.Date(2026, 3, 8, 22, 0, 0, 0, time.UTC), Me: "Ann", Fields: []string{"estimate", "dueDate", "Size", "size"},
		Choices: map[string]Choices{
			"status": choices("open", "in_progress", "closed"), "priority": choices("low", "medium", "high"), "type": choices("issue", "idea"),
		},
		FoldID: strings.ToLower,
		Predicates: map[string]func(string) (Condition, error){
			"is:ready": func(string) (Condition, error) { return Condition{SQL: "ready"}, nil },
			"under": func(id string) (Condition, error) {
				if id == "nothing" {
					return Condition{}, &TermError{Err: errors.New("no such document")}
				}
				return Condition{"(above = ?)", []any{id}}, nil
			},
		},
		Children: func(id string) (Condition, error) {
			if id == "nope" {
				return Condition{}, &TermError{Err: errors.New("no such document")}
			}
			return condition("parent_fold <> '' AND parent_fold = ?", strings.ToLower(id)), nil
		},
		Kind: func(key string) (ValueKind, error) {
			return map[string]ValueKind{"estimate": NumberKind, "dueDate": TimeKind}[key], nil
		},
		Search: func(text string) (Condition, error) { return Condition{"(found = ?)", []any{text}}, nil },
	}
}

func TestConditions(t *testing.T) {
	march := func(day int) int64 { return time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC).UnixMilli() }
	const byName = "(assignee <> '' AND assignee IN (SELECT assignee FROM tally WHERE "
	for text, want := range map[string]Condition{
		"":                           {"true", nil},
		"status = Open":              {"(status IN (?))", []any{"open"}},
		"priority >= medium":         {"(priority IN (?, ?))", []any{"medium", "high"}},
		"priority < low":             {"false", nil},
		"title = CACHE":              {"(issues_index_fold(title) = ?)", []any{"cache"}},
		"title !~ 'A b'":             {"(NOT (instr(issues_index_fold(title), ?) > 0))", []any{"a b"}},
		"assignee = @me":             {byName + "(instr(', ' || issues_index_fold(assignee) || ', ', ?) > 0)))", []any{", ann, "}},
		"assignee = ME":              {byName + "(instr(', ' || issues_index_fold(assignee) || ', ', ?) > 0)))", []any{", ann, "}},
		"title = me":                 {"(issues_index_fold(title) = ?)", []any{"me"}},
		"assignee ~ @me":             {byName + "(instr(issues_index_fold(assignee), ?) > 0)))", []any{"ann"}},
		"assignee in (empty, @me)":   {"((assignee = '') OR " + byName + "(instr(', ' || issues_index_fold(assignee) || ', ', ?) > 0))))", []any{", ann, "}},
		"labels = empty":             {"(labels = '[]')", nil},
		"parent:ISS-1":               {"(parent_fold <> '' AND parent_fold = ?)", []any{"iss-1"}},
		"updated = 2026-03-02":       {"(updated IS NOT NULL AND (updated >= ?) AND (updated < ?))", []any{march(2), march(3)}},
		"closed <= -7d":              {"(closed IS NOT NULL AND (closed < ?))", []any{march(2)}},
		"created > today":            {"(created IS NOT NULL AND (created >= ?))", []any{march(9)}},
		"estimate > 3":               {"(doc IN (SELECT doc FROM field WHERE key = ? AND (number > ?)))", []any{"estimate", 3.0}},
		"estimate = '3'":             {"(doc IN (SELECT doc FROM field WHERE key = ? AND (issues_index_fold(text) = ?)))", []any{"estimate", "3"}},
		"estimate = 3D":              {"(doc IN (SELECT doc FROM field WHERE key = ? AND (issues_index_fold(text) = ?)))", []any{"estimate", "3d"}},
		"closed <= 7d":               {"(closed IS NOT NULL AND (closed < ?))", []any{march(2)}},
		"closed > -1h":               {"(closed IS NOT NULL AND (closed >= ?))", []any{time.Date(2026, 3, 8, 21, 0, 0, 1e6, time.UTC).UnixMilli()}},
		"due_date < today":           {"(doc IN (SELECT doc FROM field WHERE key = ? AND (time IS NOT NULL AND (time < ?))))", []any{"dueDate", march(8)}},
		"Size = empty":               {"(doc NOT IN (SELECT doc FROM field WHERE key = ?))", []any{"Size"}},
		"is:ready -has:boxes":        {"(ready AND (NOT (boxes_total > 0)))", nil},
		"estimate > '10'":            {"(doc IN (SELECT doc FROM field WHERE key = ? AND (issues_index_fold(text) > ?)))", []any{"estimate", "10"}},
		"size > large":               {"(doc IN (SELECT doc FROM field WHERE key = ? AND (issues_index_fold(text) > ?)))", []any{"size", "large"}},
		"title bar":                  {"(found = ?)", []any{"title bar"}},
		"type of idea":               {"(found = ?)", []any{"type of idea"}},
		"status -open":               {"(found = ?)", []any{"status -open"}},
		"'status open'":              {"(found = ?)", []any{`"status open"`}},
		"status is:ready open":       {"((found = ?) AND ready AND (found = ?))", []any{"status", "open"}},
		"under:A or fix 'a \"b\" c'": {"((above = ?) OR (found = ?))", []any{"A", `fix "a  b  c"`}},
	} {
		c, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Compile(c, testEnv())
		if err != nil || got.SQL != want.SQL || !reflect.DeepEqual(got.Args, want.Args) {
			t.Errorf("%s is\n%s %v (%v), want\n%s %v", text, got.SQL, got.Args, err, want.SQL, want.Args)
		}
	}
}

func TestCriteriaThatCannotBeMet(t *testing.T) {
	for text, want := range map[string]string{
		"asignee = ann":           `column 1: expected a field, got "asignee"; did you mean "assignee"?`,
		"a = 1 or estimat > 3":    `column 1: expected a field: id, title, type, status, priority, labels, assignee, project, parent, created, updated, closed, or a key that a document has, got "a"`,
		"estimat > 3":             `column 1: expected a field, got "estimat"; did you mean "estimate"?`,
		"SIZE = 1":                `column 1: expected a field, got "SIZE"; did you mean "Size"?`, // or size
		"検索 status = opne":        `column 13: expected a status (open, in_progress, closed), got "opne"; did you mean "open"?`,
		"priority in (low, asap)": `column 19: expected a priority (low, medium, high), got "asap"`,
		"type:bug":                `column 6: expected a type (issue, idea), got "bug"`,
		"label > api":             `column 7: expected one of = != ~ !~ in, as labels takes them, got ">"`,
		"not updated ~ 2026":      `column 13: expected one of = != < <= > >= in, as updated takes them, got "~"`,
		"updated > lastweek":      `column 11: expected ` + TimeForms + `, got "lastweek"`,
		"closed = 2026-02-30":     `column 10: expected ` + TimeForms + `, got "2026-02-30"`,
		"is:redy":                 `column 1: expected a predicate (has:boxes, has:open-boxes, is:ready, under), got "is:redy"; did you mean "is:ready"?`,
		"blocks:ISS-1":            `column 1: expected a predicate (has:boxes, has:open-boxes, is:ready, under), got "blocks"`,
		"under:nothing":           `column 7: no such document`,
		"a or parent:nope":        `column 13: no such document`,
		"parent in (A, nope)":     `column 15: no such document`,
		"estimate > abc":          `column 12: expected a number, as all values of estimate are, got "abc"`,
		"due_date < soon":         `column 12: expected a day or a time, as all values of dueDate are, got "soon"`,
		"due_date < 7d":           `column 12: expected a day or a time, as all values of dueDate are, got "7d"; did you mean "-7d"?`,
		"prio = high":             `column 1: expected a field, got "prio"; did you mean "priority"?`,
		"is:mine":                 `column 1: expected a predicate (has:boxes, has:open-boxes, is:ready, under), got "is:mine"; did you mean "assignee = @me"?`,
		"fix status open":         `column 12: expected an operator before it, or quotes around words to search for, got "open"; did you mean "status = open"?`,
		"status in open":          `column 11: expected an operator before it, or quotes around words to search for, got "open"; did you mean "status = open"?`,
		"Type is Idea or x":       `column 9: expected an operator before it, or quotes around words to search for, got "Idea"; did you mean "type = Idea"?`,
		"status not open":         `column 12: expected an operator before it, or quotes around words to search for, got "open"; did you mean "status != open"?`,
		"status is not open":      `column 15: expected an operator before it, or quotes around words to search for, got "open"; did you mean "status != open"?`,
		"closed last week":        `column 8: expected an operator before it, or quotes around words to search for, got "last"; did you mean "closed >= -7d"?`,
		"created between 1 and 2": `column 9: expected an operator before it, or quotes around words to search for, got "between"; did you mean "created >= 2026-01-01 and created < 2026-02-01"?`,
		"status and open":         `column 12: expected an operator before it, or quotes around words to search for, got "open"; did you mean "status = open"?`,
		"sort updated, prioriti":  `column 15: expected a field, got "prioriti"; did you mean "priority"?`,
		"sort labels":             `column 6: expected a field to sort by, of which a document has one value, got "labels"`,
	} {
		c, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Compile(c, testEnv()); err == nil {
			_, err = OrderBy(c, testEnv())
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s\nis answered %v\nwant        %s", text, err, want)
		}
	}
	t.Run("nobody is @me", func(t *testing.T) {
		c, err := Parse("assignee = @me")
		if err != nil {
			t.Fatal(err)
		}
		env := testEnv()
		env.Me = ""
		const want = `column 12: expected a name, since it is not known who @me is, got "@me"`
		if _, err := Compile(c, env); err == nil || err.Error() != want {
			t.Errorf("answered %v", err)
		}
	})
}
