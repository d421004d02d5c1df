package issues

import (
	"fmt"
	"strings"
	"testing"

	"issues-index/tools/guard"
	"issues-index/tools/toolstest"
)

func TestBatchOverBudget(t *testing.T) {
	root := t.TempDir()
	var ids []string
	for i := range 50 {
		id := fmt.Sprintf("ISS-%06d", i)
		ids = append(ids, id)
		text := strings.Repeat(strings.Repeat("Some words of the text. ", 6)+"\n", 10)
		if i == 1 {
			text = strings.Repeat(text, 100)
		}
		toolstest.Write(t, root, ".wrangler/issues/"+id+".md", fmt.Sprintf("---\nid: %s\ntitle: %s\nstatus: open\n---\n%s", id, strings.Repeat("title ", 20), text))
	}
	for i := range 300 {
		toolstest.Write(t, root, fmt.Sprintf(".wrangler/issues/%d/twin-%s.md", i, strings.Repeat("p", 150)), "---\nid: twin\n---\n")
	}
	f := serve(t, root)
	read := func(t *testing.T, tokens int, ids ...string) (b batch, whole, short, named int) {
		t.Helper()
		arguments := map[string]any{"ids": ids}
		if tokens > 0 {
			arguments["maxTokens"] = tokens
		}
		b, text := toolstest.Must[batch](t, f.Client, "issues_get_batch", arguments)
		budget := guard.Defaults().Budget("issues_get_batch", tokens)
		if !budget.Holds(text) {
			t.Errorf("the text is %+v, over %+v", guard.Measure(text), budget)
		}
		if !strings.Contains(text, b.Note) {
			t.Errorf("the note %q is not in the text", b.Note)
		}
		for _, d := range b.Issues {
			switch {
			case d.Description != nil:
				whole++
			case d.Title != "":
				short++
				if d.Status != "open" || d.Path == "" {
					t.Errorf("a summary lacks what tells the document: %+v", d)
				}
			default:
				named++
			}
		}
		return b, whole, short, named
	}
	t.Run("what fits is whole, and nothing is said", func(t *testing.T) {
		b, whole, _, _ := read(t, 0, ids[5:8]...)
		if whole != 3 || b.Note != "" {
			t.Errorf("%d whole; %s", whole, b.Note)
		}
	})
	t.Run("the rest come as summaries, in the order asked for", func(t *testing.T) {
		b, whole, short, named := read(t, 0, ids[:12]...)
		if whole < 3 || whole+short != 12 || named != 0 {
			t.Errorf("%d whole, %d short, %d named", whole, short, named)
		}
		for i, d := range b.Issues {
			if d.ID != ids[i] {
				t.Errorf("%s in the place of %s", d.ID, ids[i])
			}
		}
		want := fmt.Sprintf("To fit, %d are shown whole and %d as summaries without their text: read each of those with issues_get, or call again with fewer ids or with maxTokens.", whole, short)
		if b.Note != want {
			t.Errorf("the note is %q", b.Note)
		}
		if b.Issues[0].Description == nil || b.Issues[1].Description != nil || b.Issues[2].Description == nil {
			t.Error("a document that is too long keeps those after it from being whole")
		}
	})
	t.Run("when summaries do not fit, the others are named", func(t *testing.T) {
		b, whole, short, named := read(t, 0, ids...)
		if whole+short+named != 50 || whole != 1 || short < 10 || named == 0 || !strings.Contains(b.Note, fmt.Sprintf("%d by id only", named)) {
			t.Errorf("%d whole, %d short, %d named: %s", whole, short, named, b.Note)
		}
	})
	t.Run("maxTokens has room for more", func(t *testing.T) {
		if _, whole, short, _ := read(t, 25000, ids...); whole < 20 || whole+short != 50 {
			t.Errorf("%d whole, %d short", whole, short)
		}
		if _, whole, short, _ := read(t, 1200, ids[5:8]...); whole != 1 || short != 2 {
			t.Errorf("%d whole, %d short", whole, short)
		}
	})
	t.Run("ids that name many documents, and many that name none", func(t *testing.T) {
		asked := []string{"twin", ids[3]}
		for i := range 40 {
			asked = append(asked, fmt.Sprint("nobody ", i, strings.Repeat(" at all", 300)))
		}
		b, whole, _, _ := read(t, 0, asked...)
		if whole != 1 || len(b.Ambiguous) != 1 || len(b.Ambiguous[0].Paths) == 0 || !strings.Contains(b.Note, "left out") || len(b.NotFound) == 0 {
			t.Errorf("%d whole, %d ambiguous, %d not found: %s", whole, len(b.Ambiguous), len(b.NotFound), b.Note)
		}
	})
}
