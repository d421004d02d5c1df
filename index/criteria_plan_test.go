package index_test

import (
	"strings"
	"testing"
	"time"

	"issues-index/index/where"
)

// TestCriteriaUseIndexes holds what criteria cost: those that name a person, a
// project, an id, a parent, a label or a key of the frontmatter look no further than
// at what has it.
func TestCriteriaUseIndexes(t *testing.T) {
	t.Parallel()
	s := serveDocuments(t, 100)
	if _, err := s.FieldKeys(t.Context()); err != nil { // opens the index
		t.Fatal(err)
	}
	same := where.Choices{Resolve: func(text string) (string, bool) { return text, true }}
	env := &where.Env{
		Now: time.Date(2026, 3, 8, 12, 0, 0, 0, time.UTC), Me: "ann", Fields: []string{"estimate", "due"},
		FoldID: strings.ToLower, Choices: map[string]where.Choices{"status": same, "priority": same, "type": same},
		Children: func(id string) (where.Condition, error) {
			return where.Condition{SQL: "(parent_fold <> '' AND parent_fold = ?)", Args: []any{strings.ToLower(id)}}, nil
		},
	}
	for text, step := range map[string]string{
		"assignee = @me":                  "SEARCH document USING COVERING INDEX document_by_assignee (assignee=?)",
		"assignee ~ an":                   "SEARCH document USING COVERING INDEX document_by_assignee (assignee=?)",
		"project = atlas":                 "SEARCH document USING COVERING INDEX document_by_project (project=?)",
		"id = ISS-1":                      "SEARCH document USING COVERING INDEX document_by_id_fold (id_fold=?)",
		"parent:SPEC-1":                   "SEARCH document USING COVERING INDEX document_by_parent (parent_fold=?)",
		"label:api":                       "SEARCH document_label USING PRIMARY KEY (label=?)",
		"has:open-boxes":                  "SCAN document USING COVERING INDEX document_open_boxes",
		"estimate > 3":                    "SEARCH field USING PRIMARY KEY (key=?)",
		"due < today":                     "SEARCH field USING PRIMARY KEY (key=?)",
		"estimate = empty":                "SEARCH field USING PRIMARY KEY (key=?)",
		"updated > -7d":                   "SEARCH document USING COVERING INDEX document_by_updated (updated>?)",
		"assignee = @me status != closed": "SEARCH document USING INDEX document_by_assignee (assignee=?)",
		strings.Repeat("due=1 or ", 199) + "estimate > 3":                 "SEARCH field USING PRIMARY KEY (key=?)", // as many as there may be
		strings.Repeat("not (", 25) + "due = 1" + strings.Repeat(")", 25): "SEARCH field USING PRIMARY KEY (key=?)",
		"assignee in (" + strings.Repeat("a, ", 199) + "a)":               "SEARCH document USING COVERING INDEX document_by_assignee (assignee=?)",
	} {
		c, err := where.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		condition, err := where.Compile(c, env)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := s.Explain(t.Context(), "SELECT doc FROM document WHERE "+condition.SQL)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		found := false
		for _, one := range steps {
			found = found || strings.HasPrefix(one, step)
		}
		if !found {
			t.Errorf("%s is %s\nwith the plan %q, want %s", text, condition.SQL, steps, step)
		}
	}
}
