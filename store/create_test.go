package store

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"issues-index/store/frontmatter"
)

// clocked is a new workspace whose clock stands still.
func clocked(t testing.TB, files map[string]string) *Workspace {
	t.Helper()
	w := newWorkspace(t, files)
	w.now = tick
	return w
}

func readFile(t testing.TB, w *Workspace, p string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.Root, filepath.FromSlash(p)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestCreate(t *testing.T) {
	ctx := context.Background()
	t.Run("writes the keys that every document has, with their defaults", func(t *testing.T) {
		w := clocked(t, nil)
		done, err := w.Create(ctx, NewDocument{Title: " Fix the\nparser ", Description: "What to do."}, CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want := "---\nid: ISS-000001\ntitle: Fix the parser\ntype: issue\nstatus: open\npriority: medium\nlabels: []\n" +
			"createdAt: '2026-03-01T12:00:00.000Z'\nupdatedAt: '2026-03-01T12:00:00.000Z'\n---\nWhat to do.\n"
		if got := readFile(t, w, ".wrangler/issues/ISS-000001-fix-the-parser.md"); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
		if done.Before != nil || done.OldPath != "" || !done.Changed || done.Path != done.After.Path || done.After.ID != "ISS-000001" || !done.After.Created.Equal(tick()) {
			t.Errorf("%+v", done)
		}
	})

	t.Run("writes everything it is given, and it reads back as given", func(t *testing.T) {
		w := clocked(t, nil)
		done, err := w.Create(ctx, NewDocument{
			Type: TypeSpecification, Title: "No: 'quotes' #1", Description: "---\nnot frontmatter\r\n\n", Status: "in_progress", Priority: "critical",
			Labels: []string{"a b", "yes", "a b", ""}, Assignee: "@someone", Project: "007",
			Context: json.RawMessage(`{"parentTaskId":"000001","n":1.50,"deep":{"list":[1,null,"x"]}}`),
		}, CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		d := done.After
		if d.Path != ".wrangler/specifications/SPEC-000001-no-quotes-1.md" || d.Title != "No: 'quotes' #1" || d.Body != "---\nnot frontmatter\n\n" ||
			d.Status != "in_progress" || d.Priority != "critical" || strings.Join(d.Labels, "|") != "a b|yes" || d.Assignee != "@someone" || d.Project != "007" ||
			d.Parent != "000001" || string(d.Context) != `{"parentTaskId":"000001","n":1.5,"deep":{"list":[1,null,"x"]}}` || len(d.Problems) > 0 {
			t.Errorf("%+v\n%s", d, readFile(t, w, d.Path))
		}
	})

	t.Run("puts what is finished from the start into the archive", func(t *testing.T) {
		w := clocked(t, nil)
		done, err := w.Create(ctx, NewDocument{Title: "T", Status: "cancelled"}, CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if d := done.After; d.Path != ".wrangler/issues/archived/ISS-000001-t.md" || !d.Closed.Equal(tick()) || len(d.Problems) > 0 {
			t.Errorf("%+v", d)
		}
	})

	t.Run("asks the check under the lock, and makes nothing when it refuses", func(t *testing.T) {
		w := clocked(t, nil)
		refused := errors.New("there is one already")
		_, err := w.Create(ctx, NewDocument{Title: "T"}, CreateOptions{Check: func() error {
			if _, err := w.Create(soon(t), NewDocument{Title: "T"}, CreateOptions{}); !errors.Is(err, ErrLocked) {
				t.Errorf("not under the lock: %v", err)
			}
			return refused
		}})
		if !errors.Is(err, refused) {
			t.Error(err)
		}
		if l := list(t, w); len(l.Files) > 0 {
			t.Error(l)
		}
	})

	t.Run("refuses values that a document cannot have", func(t *testing.T) {
		w := clocked(t, nil)
		for field, n := range map[string]NewDocument{
			"title":           {Title: " \n"},
			"type":            {Title: "T", Type: "../issue"},
			"status":          {Title: "T", Status: "done"},
			"priority":        {Title: "T", Priority: "urgent"},
			"description":     {Title: "T", Description: "a\x00b"},
			"wranglerContext": {Title: "T", Context: json.RawMessage(`[1]`)},
			// With the reason, where one field has several.
			"wranglerContext is no JSON":               {Title: "T", Context: json.RawMessage(`{`)},
			"wranglerContext.a is nested deeper":       {Title: "T", Context: json.RawMessage(`{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`)},
			"wranglerContext has a key without a name": {Title: "T", Context: json.RawMessage(`{"":1}`)},
			"title makes the frontmatter":              {Title: strings.Repeat("x", frontmatter.MaxFrontmatterSize)},
			"labels makes the frontmatter":             {Title: "T", Labels: []string{strings.Repeat("x", frontmatter.MaxFrontmatterSize)}, Description: strings.Repeat("x", 1<<20)},
			"wranglerContext makes the frontmatter":    {Title: "T", Context: json.RawMessage(`{"a":"` + strings.Repeat("x", frontmatter.MaxFrontmatterSize) + `"}`)},
			"description makes the file":               {Title: "T", Description: strings.Repeat("x", MaxFileSize)},
		} {
			var refused *ValueError
			field, reason, _ := strings.Cut(field, " ")
			if _, err := w.Create(ctx, n, CreateOptions{}); !errors.As(err, &refused) || refused.Field != field || !strings.HasPrefix(refused.Reason, reason) {
				t.Errorf("%s: %v", field, err)
			}
		}
		if l := list(t, w); len(l.Files) > 0 {
			t.Error(l)
		}
	})

	t.Run("refuses an existing path, even one that appears at the last moment", func(t *testing.T) {
		root := t.TempDir()
		w, _ := openFaulty(t, root, func(_ int, op string) (bool, error) {
			if op == "move" {
				writeFiles(t, root, map[string]string{".wrangler/issues/ISS-000001-t.md": "kept"})
			}
			return false, nil
		})
		var taken *ConflictError
		if _, err := w.Create(ctx, NewDocument{Title: "T"}, CreateOptions{}); !errors.As(err, &taken) || taken.Path != ".wrangler/issues/ISS-000001-t.md" {
			t.Error(err)
		}
		if got := readFile(t, w, ".wrangler/issues/ISS-000001-t.md"); got != "kept" {
			t.Error(got)
		}
		if stray := temporaries(tree(t, root)); len(stray) > 0 {
			t.Error(stray)
		}
	})

	t.Run("is no success until the file was read back", func(t *testing.T) {
		root := t.TempDir()
		w, d := openFaulty(t, root, never)
		last := ""
		d.strike = func(_ int, op string) (bool, error) {
			if op == "read" && last == "syncDir" {
				os.Remove(filepath.Join(root, ".wrangler/issues/ISS-000001-t.md"))
			}
			last = op
			return false, nil
		}
		var changed *ConflictError
		if _, err := w.Create(ctx, NewDocument{Title: "T"}, CreateOptions{}); !errors.As(err, &changed) {
			t.Error(err)
		}
	})

	t.Run("gives each document its own time", func(t *testing.T) {
		now := tick()
		w := newWorkspace(t, nil)
		w.now = func() time.Time { now = now.Add(time.Second); return now }
		first, err := w.Create(ctx, NewDocument{Title: "T"}, CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		second, err := w.Create(ctx, NewDocument{Title: "T"}, CreateOptions{})
		if err != nil || !second.After.Created.After(first.After.Created) {
			t.Error(first.After.Created, second.After.Created, err)
		}
	})
}
