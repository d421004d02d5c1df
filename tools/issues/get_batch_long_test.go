package issues

import (
	"fmt"
	"strings"
	"testing"

	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// A batchPage is the answer of issues_get_batch as a client decodes it.
type batchPage struct {
	Issues    []batchRow
	NotFound  []string
	Ambiguous []ambiguity
	Note      string
}

type batchRow struct {
	documentView
	Updated string
}

func TestBatchOverBudget(t *testing.T) {
	t.Parallel()
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
	for i := range 100 {
		toolstest.Write(t, root, fmt.Sprintf(".wrangler/issues/%d/twin-%s.md", i, strings.Repeat("p", 150)), "---\nid: twin\n---\n")
	}
	f := serve(t, root)
	read := func(t *testing.T, tokens int, ids ...string) (b batchPage, whole, rows int) {
		t.Helper()
		arguments := map[string]any{"ids": ids}
		if tokens > 0 {
			arguments["maxTokens"] = tokens
		}
		b, text := toolstest.Must[batchPage](t, f.Client, "issues_get_batch", arguments)
		budget := answer.Defaults().Budget("issues_get_batch", tokens)
		if !budget.Holds(text) {
			t.Errorf("the text is %+v, over %+v", answer.Measure(text), budget)
		}
		if !strings.Contains(text, b.Note) {
			t.Errorf("the note %q is not in the text", b.Note)
		}
		for _, d := range b.Issues {
			switch {
			case d.Description != nil:
				whole++
			default:
				rows++
				if d.Title == "" || d.Status != "open" || d.Updated == "" || !strings.Contains(text, d.ID+" open "+d.Title) {
					t.Errorf("a row lacks what tells the document: %+v", d)
				}
			}
		}
		return b, whole, rows
	}
	t.Run("what fits is whole, and nothing is said", func(t *testing.T) {
		b, whole, _ := read(t, 0, ids[5:8]...)
		if whole != 3 || b.Note != "" {
			t.Errorf("%d whole; %s", whole, b.Note)
		}
	})
	t.Run("the rest come as list rows, in the order asked for", func(t *testing.T) {
		b, whole, rows := read(t, 0, ids[:12]...)
		if whole < 3 || whole+rows != 12 {
			t.Errorf("%d whole, %d rows", whole, rows)
		}
		for i, d := range b.Issues {
			if d.ID != ids[i] {
				t.Errorf("%s in the place of %s", d.ID, ids[i])
			}
		}
		want := fmt.Sprintf("To fit, %d of 12 documents are shown whole and %d as list rows without their text (priority is medium unless shown). "+
			"Read the others with issues_get, or call again with fewer ids or with maxTokens.", whole, rows)
		if b.Note != want {
			t.Errorf("the note is %q", b.Note)
		}
		if b.Issues[0].Description == nil || b.Issues[1].Description != nil || b.Issues[2].Description == nil {
			t.Error("a document that is too long keeps those after it from being whole")
		}
	})
	t.Run("as many as may be asked for have a row, and none is a bare id", func(t *testing.T) {
		if b, whole, rows := read(t, 0, ids...); whole+rows != 50 {
			t.Errorf("%d whole, %d rows: %s", whole, rows, b.Note)
		}
	})
	t.Run("where even rows do not fit, the first of them come, and the first that does not is named", func(t *testing.T) {
		b, whole, rows := read(t, 400, ids...)
		if whole != 0 || rows < 3 || !strings.Contains(b.Note, fmt.Sprintf("%d are left out, from %s on.", 50-rows, ids[rows])) {
			t.Errorf("%d whole, %d rows: %s", whole, rows, b.Note)
		}
	})
	t.Run("maxTokens has room for more", func(t *testing.T) {
		if _, whole, rows := read(t, 25000, ids...); whole < 20 || whole+rows != 50 {
			t.Errorf("%d whole, %d rows", whole, rows)
		}
		if _, whole, rows := read(t, 1200, ids[5:8]...); whole != 1 || rows != 2 {
			t.Errorf("%d whole, %d rows", whole, rows)
		}
	})
	t.Run("a call that asked for no text is told of none", func(t *testing.T) {
		b, text := toolstest.Must[batchPage](t, f.Client, "issues_get_batch", map[string]any{"ids": ids, "fields": "title,status,priority,labels,dates,wranglerContext,project,assignee"})
		if len(b.Issues) != 50 || !strings.Contains(b.Note, " without createdAt, wranglerContext, project, assignee (") || strings.Contains(text, " text") {
			t.Errorf("%d shown: %s", len(b.Issues), b.Note)
		}
	})
	t.Run("ids that name many documents, and many that name none", func(t *testing.T) {
		asked := []string{"twin", ids[3]}
		for i := range 40 {
			asked = append(asked, fmt.Sprint("nobody ", i, strings.Repeat(" at all", 300)))
		}
		b, whole, _ := read(t, 0, asked...)
		if whole != 1 || len(b.Ambiguous) != 1 || len(b.Ambiguous[0].Paths) == 0 || !strings.Contains(b.Note, "left out") || len(b.NotFound) == 0 {
			t.Errorf("%d whole, %d ambiguous, %d not found: %s", whole, len(b.Ambiguous), len(b.NotFound), b.Note)
		}
	})
	t.Run("an id that is given often is answered once", func(t *testing.T) {
		b, whole, _ := read(t, 0, "twin", ids[3], "nobody", ids[3], "twin", "nobody")
		if whole != 1 || len(b.Ambiguous) != 1 || len(b.NotFound) != 1 {
			t.Errorf("%d whole, %d ambiguous, %d not found: %s", whole, len(b.Ambiguous), len(b.NotFound), b.Note)
		}
	})
}
