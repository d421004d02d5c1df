package index

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"issues-index/index/search"
	"issues-index/index/where"
	"issues-index/store"
	"issues-index/store/layout"
	spelling "issues-index/store/words"
)

// env is what criteria need besides themselves, over the documents of the model.
func (m *criteriaModel) env(keys []string) *where.Env {
	choices := func(values []string, others ...string) where.Choices {
		return where.Choices{Values: values, Resolve: func(text string) (string, bool) { return spelling.Respell(text, slices.Concat(values, others)) }}
	}
	among := func(holds func(d *store.Document) bool) (where.Condition, error) {
		paths := []string{}
		for _, d := range m.docs {
			if holds(d) {
				paths = append(paths, d.Path)
			}
		}
		list, err := json.Marshal(paths)
		return where.Condition{SQL: "(path IN (SELECT value FROM json_each(?)))", Args: []any{string(list)}}, err
	}
	return &where.Env{
		Now: m.now, Me: m.me, Fields: keys, FoldID: store.FoldID,
		Choices: map[string]where.Choices{
			"status": choices(layout.Default().StatusNames(), "blocked"), "priority": choices(layout.Default().Priorities, "urgent"), "type": choices(store.Types),
		},
		Children: func(id string) (where.Condition, error) {
			return among(func(d *store.Document) bool { return d.Parent != "" && store.FoldID(d.Parent) == store.FoldID(id) })
		},
		Predicates: map[string]func(string) (where.Condition, error){
			"blocks": func(id string) (where.Condition, error) {
				return among(func(d *store.Document) bool { return strings.HasSuffix(d.ID, id) })
			},
		},
		Search: func(text string) (where.Condition, error) {
			q := search.Parse(text, nil)
			return among(func(d *store.Document) bool {
				return q.Matcher().Match(search.Text{Title: d.Title, Labels: strings.Join(d.Labels, "\n"), Body: d.Body})
			})
		},
	}
}

// meant are the paths of the documents that criteria mean, in their order, else by path.
func meant(tb interface{ Fatalf(string, ...any) }, ix *Index, text string, env *where.Env) []string {
	c, err := where.Parse(text)
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	condition, err := where.Compile(c, env)
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	order, err := where.OrderBy(c, env)
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	if order.SQL != "" {
		order.SQL += ", "
	}
	rows, err := ix.db.Read.Query("SELECT path, "+condition.SQL+" FROM document ORDER BY "+order.SQL+"path", append(condition.Args, order.Args...)...)
	if err != nil {
		tb.Fatalf("%s is %s: %v", text, condition.SQL, err)
	}
	defer rows.Close()
	found := []string{}
	for rows.Next() {
		var path string
		var holds *bool
		if err := rows.Scan(&path, &holds); err != nil || holds == nil {
			tb.Fatalf("%s is neither true nor false of %s: %v", condition.SQL, path, err)
		}
		if *holds {
			found = append(found, path)
		}
	}
	if err := rows.Err(); err != nil {
		tb.Fatalf("%s is %s: %v", text, condition.SQL, err)
	}
	return found
}

// The values of the fields that the criteria of the test ask for, of documents and in
// criteria alike.
var (
	criteriaTimes  = []string{"2026-03-01", "2026-03-02T23:30:00.500Z", "2026-03-03T04:00:00Z", "2026-03-10T00:00:00Z", "2026-03-08T06:59:59+02:00"}
	criteriaAsked  = []string{"2026-03-01", "2026-03-02", "2026-03-03", "-7d", "today", "+2d", "2026-03-02t23:30:00z", "2026-03-03t04:00:00z"}
	criteriaValues = []string{"3", "2.50", "007", "10", "Ünïcode", "a b", "true", "2026-03-01", "2026-03-02", "1.10.2"}
	criteriaKeys   = []string{"Due Date", "due", "estimate", "sprint.goal"}
)

// criteriaDocument is a document with any values, or without, in its fields.
func criteriaDocument(r *rand.Rand, n int) string {
	var b strings.Builder
	key := func(name string, values []string) {
		if r.IntN(3) > 0 {
			fmt.Fprintf(&b, "%s: %q\n", name, pick(r, values))
		}
	}
	fmt.Fprintf(&b, "---\nid: ISS-%06d\ntitle: %q\n", n, words(r, 3))
	key("status", kitStatuses)
	key("priority", kitPriorities)
	key("assignee", []string{"ann", "Bob", "ann, Bob", "Joann"})
	key("project", []string{"Atlas", "boreas", "ATLAS"})
	key("createdAt", criteriaTimes)
	key("updatedAt", criteriaTimes)
	key("closedAt", criteriaTimes)
	key("parentTaskId", []string{"ISS-000001", "iss-2", "SPEC-000007"})
	key("due", criteriaTimes)
	key("Due Date", criteriaTimes)
	if labels := some(r, kitLabels, 3); len(labels) > 0 {
		fmt.Fprintf(&b, "labels: [%s]\n", quotedList(labels))
	}
	switch r.IntN(3) {
	case 0:
		fmt.Fprintf(&b, "estimate: %s\n", pick(r, criteriaValues))
	case 1:
		fmt.Fprintf(&b, "estimate: [%s]\n", quotedList(some(r, criteriaValues, 3)))
	}
	if r.IntN(2) == 0 {
		fmt.Fprintf(&b, "sprint: {goal: %q, empty: '', none: }\n", pick(r, criteriaValues))
	}
	b.WriteString("---\n" + pick(r, []string{"- [ ] one\n", "- [x] one\n", ""}) + words(r, 3) + "\n")
	return b.String()
}

func quotedList(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = fmt.Sprintf("%q", v)
	}
	return strings.Join(quoted, ", ")
}

// criteriaFields are the fields that the test asks for, the operators that each takes,
// and values.
var criteriaFields = func() map[string][2][]string {
	all := []string{"=", "!=", "<", "<=", ">", ">=", "~", "!~"}
	equal := []string{"=", "!=", "~", "!~"}
	inTime := all[:6]
	names := []string{"ann", "BOB", `"ann, bob"`, "@me", "jo", "atlas", "Boreas"}
	fields := map[string][2][]string{
		"id": {equal, {"ISS-000001", "iss-3", "000", "7"}}, "parent": {equal, {"iss-1", "ISS-000002", "spec"}},
		"title": {all, {"cache", "PARSE", "ünïcode", `"x"`, "検索"}}, "type": {all, {"issue", "idea"}},
		"status": {all, {"open", "in-progress", "Closed", "cancelled", "blocked"}}, "priority": {all, {"low", "Medium", "high", "critical", "urgent"}},
		"labels":   {equal, {"API", "bug", `"docs, long"`, "überbau", "检索", "o"}},
		"assignee": {all, names}, "project": {all, names},
		"created": {inTime, criteriaAsked}, "updated": {inTime, criteriaAsked}, "closed": {inTime, criteriaAsked},
	}
	values := slices.Concat([]string{"3", "2.5", `"3"`, `"2.50"`, "7", "ÜNÏCODE", `"a b"`, "true", "1.10.2", `"2026-03-01"`, "-1"}, criteriaAsked)
	for _, key := range criteriaKeys {
		fields[fmt.Sprintf("%q", key)] = [2][]string{all, values}
	}
	return fields
}()

// criteriaTexts makes criteria of any shape.
func criteriaTexts(depth int) *rapid.Generator[string] {
	names := slices.Sorted(maps.Keys(criteriaFields))
	return rapid.Custom(func(t *rapid.T) string {
		kinds := 5
		if depth > 0 {
			kinds = 9
		}
		field := rapid.SampledFrom(names).Draw(t, "field")
		value := rapid.SampledFrom(criteriaFields[field][1])
		deeper := func() string { return criteriaTexts(depth-1).Draw(t, "part") }
		switch rapid.IntRange(0, kinds).Draw(t, "kind") {
		case 0:
			return field + rapid.SampledFrom([]string{" = empty", " != empty"}).Draw(t, "empty")
		case 1:
			return field + " in (" + strings.Join(rapid.SliceOfN(value, 1, 3).Draw(t, "values"), ", ") + ")"
		case 2:
			return rapid.SampledFrom([]string{"cache", `"parse.Go()"`, "-cursor", "検索", "has:boxes", "has:open-boxes", "blocks:7", "title:cache", "label:api"}).Draw(t, "word")
		case 6:
			return deeper() + " and " + deeper()
		case 7:
			return deeper() + " or " + deeper()
		case 8:
			return "(" + deeper() + ") " + deeper()
		case 9:
			return "not (" + deeper() + ")"
		}
		return field + " " + rapid.SampledFrom(criteriaFields[field][0]).Draw(t, "op") + " " + value.Draw(t, "value")
	})
}

func TestCriteriaMeanTheDocumentsOfTheModel(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 15))
	for round := range often(2) {
		k := newKit(t)
		for n := range 60 {
			k.put(fmt.Sprintf(".wrangler/issues/ISS-%06d.md", n), criteriaDocument(r, n))
		}
		ix := k.open(Options{Mode: ModeVerify})
		keys, err := ix.FieldKeys(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(keys, criteriaKeys) {
			t.Fatalf("the documents have the keys %q", keys)
		}
		zone := time.FixedZone("", []int{-5, 9, 0, -11}[round%4]*60*60)
		m := &criteriaModel{now: time.Date(2026, 3, 8, 22, 15, 0, 0, zone), me: "bob"}
		for n := range 60 {
			d, _, err := k.ws.Load(fmt.Sprintf(".wrangler/issues/ISS-%06d.md", n))
			if err != nil {
				t.Fatal(err)
			}
			m.docs = append(m.docs, d)
		}
		t.Run(fmt.Sprint("workspace ", round), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				text := criteriaTexts(2).Draw(t, "text")
				found := meant(t, ix, text, m.env(keys))
				c, err := where.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				want := []string{}
				for _, d := range m.docs {
					if m.holds(c.Where, d) {
						want = append(want, d.Path)
					}
				}
				if !slices.Equal(found, want) {
					t.Fatalf("%s, asked at %s, finds %q, want %q", text, m.now, found, want)
				}
			})
		})
		k.close(ix)
	}
}
