package index

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"issues-index/index/search"
	"issues-index/index/where"
	"issues-index/store"
	"issues-index/store/frontmatter"
	"issues-index/store/layout"
)

// A criteriaModel is what criteria promise, without SQL.
type criteriaModel struct {
	now  time.Time
	me   string
	docs []*store.Document
}

func (m *criteriaModel) holds(x where.Expr, d *store.Document) bool {
	switch x := x.(type) {
	case nil:
		return true
	case where.And:
		return !slices.ContainsFunc(x, func(part where.Expr) bool { return !m.holds(part, d) })
	case where.Or:
		return slices.ContainsFunc(x, func(part where.Expr) bool { return m.holds(part, d) })
	case where.Not:
		return !m.holds(x.Expr, d)
	case where.Search:
		text := search.Text{Title: d.Title, Labels: strings.Join(d.Labels, "\n"), Body: d.Body}
		return search.Parse(x.FullText(), nil).Matcher().Match(text)
	case where.Predicate:
		if x.Name == "blocks" { // as the test's own predicate has it
			return strings.HasSuffix(d.ID, x.Arg)
		}
		return strings.Contains(d.Body, "- [ ]") || x.Arg == "boxes" && strings.Contains(d.Body, "- [")
	case where.Compare:
		switch x.Op {
		case where.NotEqual:
			return !m.compares(x.Field, where.Equal, x.Values[0], d)
		case where.Lacks:
			return !m.compares(x.Field, where.Contains, x.Values[0], d)
		case where.In:
			return slices.ContainsFunc(x.Values, func(v where.Operand) bool { return m.compares(x.Field, where.Equal, v, d) })
		}
		return m.compares(x.Field, x.Op, x.Values[0], d)
	}
	panic(fmt.Sprintf("%T", x))
}

// ordered applies an operator to how a document's value compares with another one.
func ordered(op where.Operator, compared int) bool {
	switch op {
	case where.Less:
		return compared < 0
	case where.AtMost:
		return compared <= 0
	case where.Greater:
		return compared > 0
	case where.AtLeast:
		return compared >= 0
	}
	return compared == 0
}

// textually compares two texts.
func textually(op where.Operator, has, value string) bool {
	has, value = search.Fold(has), search.Fold(value)
	if op == where.Contains {
		return strings.Contains(has, value)
	}
	return ordered(op, strings.Compare(has, value))
}

func (m *criteriaModel) compares(field string, op where.Operator, v where.Operand, d *store.Document) bool {
	if v.Empty() {
		return m.isEmpty(field, d)
	}
	if v.Text == "@me" && !v.Quoted {
		v = where.Operand{Text: m.me, Quoted: true}
	}
	text := func(has string) bool { return has != "" && textually(op, has, v.Text) }
	switch field {
	case "title":
		return text(d.Title)
	case "project":
		return text(d.Project)
	case "assignee":
		if op == where.Equal && slices.ContainsFunc(strings.Split(d.Assignee, ", "), text) {
			return true
		}
		return text(d.Assignee)
	case "labels":
		return slices.ContainsFunc(d.Labels, text)
	case "id", "parent":
		has := map[string]string{"id": d.ID, "parent": d.Parent}[field]
		if op == where.Contains {
			return text(has)
		}
		return has != "" && store.FoldID(has) == store.FoldID(v.Text)
	case "status":
		return choice(op, d.CountedStatus(), v.Text, layout.Default().StatusNames())
	case "priority":
		return choice(op, d.CountedPriority(), v.Text, layout.Default().Priorities)
	case "type":
		return choice(op, d.Type, v.Text, store.Types)
	case "created":
		return m.timely(op, d.Created, v.Text)
	case "updated":
		return m.timely(op, d.Updated, v.Text)
	case "closed":
		return !d.Closed.IsZero() && m.timely(op, d.Closed, v.Text)
	}
	return slices.ContainsFunc(extraValues(field, d), func(has string) bool { return m.freely(op, has, v) })
}

// choice compares values that have an order.
func choice(op where.Operator, has, value string, values []string) bool {
	if op == where.Contains {
		return textually(op, has, value)
	}
	value = strings.ReplaceAll(strings.ToLower(value), "-", "_") // as the caller resolves it
	a, b := slices.Index(values, has), slices.Index(values, value)
	if has == value || op == where.Equal {
		return has == value && ordered(op, 0) && (op == where.Equal || a >= 0)
	}
	return a >= 0 && b >= 0 && ordered(op, a-b)
}

// freely compares a value of any kind.
func (m *criteriaModel) freely(op where.Operator, has string, v where.Operand) bool {
	if op == where.Contains || v.Quoted {
		return textually(op, has, v.Text)
	}
	if b, ok := where.Number(v.Text); ok {
		a, ok := where.Number(has)
		return ok && (ordered(op, -1) && a < b || ordered(op, 0) && a == b || ordered(op, 1) && a > b)
	}
	if _, isDay := m.day(v.Text); isDay || len(v.Text) == len(time.RFC3339)-5 {
		t, ok := frontmatter.ParseTime(has)
		return ok && m.timely(op, t, v.Text)
	}
	return textually(op, has, v.Text)
}

// day is the day that a value names, written as 2006-01-02.
func (m *criteriaModel) day(value string) (string, bool) {
	var days int
	if _, err := fmt.Sscanf(value, "%dd", &days); err == nil && strings.HasSuffix(value, "d") {
		return m.now.AddDate(0, 0, days).Format(time.DateOnly), true
	}
	if value == "today" {
		return m.now.Format(time.DateOnly), true
	}
	_, err := time.Parse(time.DateOnly, value)
	return value, err == nil
}

// timely compares a time with a day, as calendars do, or with an instant of seconds.
func (m *criteriaModel) timely(op where.Operator, has time.Time, value string) bool {
	day, isDay := m.day(value)
	if !isDay {
		instant, err := time.Parse(time.RFC3339, strings.ToUpper(value))
		if err != nil {
			panic(err)
		}
		return ordered(op, has.Truncate(time.Second).Compare(instant))
	}
	if !has.Equal(has.Truncate(24 * time.Hour)) {
		has = has.In(m.now.Location())
	}
	return ordered(op, strings.Compare(has.Format(time.DateOnly), day))
}

func (m *criteriaModel) isEmpty(field string, d *store.Document) bool {
	switch field {
	case "assignee":
		return d.Assignee == ""
	case "project":
		return d.Project == ""
	case "parent":
		return d.Parent == ""
	case "labels":
		return len(d.Labels) == 0
	case "closed":
		return d.Closed.IsZero()
	case "id", "title", "type", "status", "priority", "created", "updated":
		return false
	}
	return len(extraValues(field, d)) == 0
}

// extraValues are the values that a key has in a document, in a mapping one level
// down as well.
func extraValues(key string, d *store.Document) []string {
	var extra map[string]any
	if d.Extra == nil || json.Unmarshal(d.Extra, &extra) != nil {
		return nil
	}
	outer, inner, nested := strings.Cut(key, ".")
	value := extra[outer]
	if nested {
		within, _ := value.(map[string]any)
		value = within[inner]
	}
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	var values []string
	for _, one := range list {
		if text := fmt.Sprint(one); one != nil && text != "" {
			values = append(values, text)
		}
	}
	return values
}
