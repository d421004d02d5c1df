package store

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"issues-index/store/frontmatter"
)

// update sets fields of the document at aPath.
func update(w *Workspace, f Fields) (Written, error) {
	return w.Update(context.Background(), aPath, func(*Document) (Fields, error) { return f, nil })
}

func TestUpdate(t *testing.T) {
	const before = "---\n# about a\nid: A-1\ntitle: 'Old'\nstatus: open\nlabels: [x, y]\nassignee: me\nwranglerContext:\n  agentId: z\n  keep: 1\nupdatedAt: 2026-01-01\n---\n\n# Body\n"
	at := "updatedAt: 2026-03-01\n"
	for _, c := range []struct {
		name    string
		fields  Fields
		after   string
		changes []FieldChange
	}{
		{
			"sets one field and leaves every other byte but the time",
			Fields{Title: new("New")},
			strings.NewReplacer("'Old'", "'New'", "updatedAt: 2026-01-01\n", at).Replace(before),
			[]FieldChange{{"title", "Old", "New"}},
		},
		{
			"adds a field that was not there",
			Fields{Priority: new("high"), Project: new("P")},
			strings.Replace(before, "updatedAt: 2026-01-01\n", at+"priority: high\nproject: P\n", 1),
			[]FieldChange{{"priority", "", "high"}, {"project", "", "P"}},
		},
		{
			"removes assignee and labels that are set to nothing",
			Fields{Assignee: new(""), Labels: new([]string{})},
			strings.NewReplacer("assignee: me\n", "", "[x, y]", "[]", "updatedAt: 2026-01-01\n", at).Replace(before),
			[]FieldChange{{"labels", "x, y", ""}, {"assignee", "me", ""}},
		},
		{
			"merges the context",
			Fields{Context: map[string]json.RawMessage{"agentId": nil, "new": json.RawMessage(`"v"`)}},
			strings.NewReplacer("  agentId: z\n  keep: 1\n", "  keep: 1\n  new: v\n", "updatedAt: 2026-01-01\n", at).Replace(before),
			[]FieldChange{{"wranglerContext.agentId", `"z"`, ""}, {"wranglerContext.new", "", `"v"`}},
		},
		{
			"replaces the body, and keeps the blank line above it",
			Fields{Description: new("Other")},
			strings.NewReplacer("# Body", "Other", "updatedAt: 2026-01-01\n", at).Replace(before),
			[]FieldChange{{"description", "\n# Body\n", "\nOther\n"}},
		},
		{
			"appends a paragraph",
			Fields{Append: "**Notes:**\nDone.\n"},
			strings.Replace(before, "updatedAt: 2026-01-01\n", at, 1) + "\n**Notes:**\nDone.\n",
			[]FieldChange{{"description", "\n# Body\n", "\n# Body\n\n**Notes:**\nDone.\n"}},
		},
		{
			"replaces the body and appends to it",
			Fields{Description: new("Other\n\n"), Append: "Note"},
			strings.NewReplacer("# Body\n", "Other\n\nNote\n", "updatedAt: 2026-01-01\n", at).Replace(before),
			[]FieldChange{{"description", "\n# Body\n", "\nOther\n\nNote\n"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := clocked(t, map[string]string{aPath: before})
			done, err := update(w, c.fields)
			if err != nil {
				t.Fatal(err)
			}
			if got := readFile(t, w, aPath); got != c.after {
				t.Errorf("got\n%swant\n%s", got, c.after)
			}
			if !done.Changed || !reflect.DeepEqual(done.Changes, c.changes) || done.Path != aPath || done.OldPath != aPath || done.Before.Title != "Old" {
				t.Errorf("%+v", done)
			}
			loaded, _, err := w.Load(aPath)
			if err != nil || !reflect.DeepEqual(loaded, done.After) {
				t.Errorf("on disk is %+v, %v\nreported was %+v", loaded, err, done.After)
			}
		})
	}
}

func TestAWriteThatChangesNothingDoesNotTouchTheFile(t *testing.T) {
	for name, f := range map[string]Fields{
		"no field":                        {},
		"the same values":                 {Title: new(" One "), Type: new("issue"), Status: new("open"), Project: new(""), Assignee: new(""), Labels: new([]string{})},
		"the same body":                   {Description: new("The body.")},
		"an empty description":            {Description: new("")},
		"a blank description":             {Description: new(" \n\t")},
		"empty title, status and so on":   {Title: new(""), Type: new(""), Status: new(""), Priority: new("")},
		"a blank note":                    {Append: " \n"},
		"a context key that is not there": {Context: map[string]json.RawMessage{"x": nil}},
	} {
		t.Run(name, func(t *testing.T) {
			w := clocked(t, map[string]string{aPath: openIssue})
			stat, err := w.Stat(aPath)
			if err != nil {
				t.Fatal(err)
			}
			done, err := update(w, f)
			if err != nil || done.Changed || len(done.Changes) > 0 || done.After != done.Before || done.Path != aPath {
				t.Errorf("%+v, %v", done, err)
			}
			if now, err := w.Stat(aPath); err != nil || now != stat {
				t.Errorf("%+v, %v, was %+v", now, err, stat)
			}
		})
	}
	t.Run("the title that the first heading gives", func(t *testing.T) {
		w := clocked(t, map[string]string{aPath: "# Heading\n"})
		if done, err := update(w, Fields{Title: new("Heading")}); err != nil || done.Changed {
			t.Errorf("%+v, %v", done, err)
		}
	})
}

func TestATypeThatIsNoneIsReplacedByTheOneThatItCountsAs(t *testing.T) {
	for written, was := range map[string]string{"isue": "isue", "\"Issue\"": "Issue", "5": "5", "true": "true"} {
		t.Run(written, func(t *testing.T) {
			w := clocked(t, map[string]string{aPath: "---\ntype: " + written + "\n---\n"})
			done, err := update(w, Fields{Title: new("A title")})
			if err != nil || done.After.WrittenType() != was {
				t.Fatalf("another field: %+v, %v", done, err)
			}
			done, err = update(w, Fields{Type: new("issue")})
			if want := []FieldChange{{"type", was, "issue"}}; err != nil || !reflect.DeepEqual(done.Changes, want) {
				t.Errorf("%+v, %v", done, err)
			}
			if done.Path != aPath || len(done.After.Problems) > 0 || done.After.WrittenType() != "issue" {
				t.Errorf("afterwards: %+v", done.After)
			}
		})
	}
}

func TestTheChangeIsDecidedOnTheFileAsItIsUnderTheLock(t *testing.T) {
	w := clocked(t, map[string]string{aPath: openIssue})
	release := held(t, w, aPath)
	done := make(chan error)
	go func() {
		_, err := w.Update(context.Background(), aPath, func(doc *Document) (Fields, error) {
			if doc.Project != "from outside" {
				t.Errorf("decided on project %q", doc.Project)
			}
			return Fields{Assignee: new("me")}, nil
		})
		done <- err
	}()
	writeFiles(t, w.Root, map[string]string{aPath: strings.Replace(openIssue, "status: open", "status: open\nproject: from outside", 1)})
	release()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if doc, _, err := w.Load(aPath); err != nil || doc.Project != "from outside" || doc.Assignee != "me" {
		t.Errorf("%+v, %v", doc, err)
	}
}

func TestLineEndsMarksAndAppendedText(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"CRLF", "---\r\nid: a\r\n---\r\nBody\r\n", "---\r\nid: a\r\nupdatedAt: '2026-03-01T12:00:00.000Z'\r\n---\r\nBody\r\n\r\nx\r\ny\r\n"},
		{"mixed line ends stay mixed", "---\nid: a\n---\nOne\r\nTwo\nThree", "---\nid: a\nupdatedAt: '2026-03-01T12:00:00.000Z'\n---\nOne\r\nTwo\nThree\r\n\r\nx\r\ny\r\n"},
		{"mixed line ends beside a blank description", "---\nid: a\n---\nOne\r\nTwo\n", "---\nid: a\nupdatedAt: '2026-03-01T12:00:00.000Z'\n---\nOne\r\nTwo\n\r\nx\r\ny\r\n"},
		{"a byte order mark", "\ufeff" + "---\nid: a\n---\nBody\n\n", "\ufeff" + "---\nid: a\nupdatedAt: '2026-03-01T12:00:00.000Z'\n---\nBody\n\nx\ny\n"},
		{"no frontmatter, a byte order mark", "\ufeff" + "Body\n", "\ufeff" + "---\nupdatedAt: '2026-03-01T12:00:00.000Z'\n---\nBody\n\nx\ny\n"},
		{"no body", "---\nid: a\n---\n", "---\nid: a\nupdatedAt: '2026-03-01T12:00:00.000Z'\n---\nx\ny\n"},
		{"nothing at all after the fence", "---\nid: a\n---", "---\nid: a\nupdatedAt: '2026-03-01T12:00:00.000Z'\n---\nx\ny\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := clocked(t, map[string]string{aPath: c.before})
			f := Fields{Append: "x\ny"}
			if strings.Contains(c.name, "blank description") {
				f.Description = new(" ")
			}
			if _, err := update(w, f); err != nil {
				t.Fatal(err)
			}
			if got := readFile(t, w, aPath); got != c.after {
				t.Errorf("got  %q\nwant %q", got, c.after)
			}
		})
	}
}

func TestUpdateRefuses(t *testing.T) {
	t.Run("what is not there", func(t *testing.T) {
		w := clocked(t, nil)
		if _, err := update(w, Fields{Title: new("T")}); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	})
	t.Run("nothing but the one path, where two files have one id", func(t *testing.T) {
		other := ".wrangler/issues/b.md"
		w := clocked(t, map[string]string{aPath: openIssue, other: openIssue})
		if _, err := update(w, Fields{Title: new("T")}); err != nil {
			t.Fatal(err)
		}
		if readFile(t, w, other) != openIssue || readFile(t, w, aPath) == openIssue {
			t.Error("the wrong file changed")
		}
	})
	t.Run("what its caller refuses", func(t *testing.T) {
		w := clocked(t, map[string]string{aPath: openIssue})
		refused := errors.New("not this one")
		_, err := w.Update(context.Background(), aPath, func(*Document) (Fields, error) { return Fields{Title: new("T")}, refused })
		if !errors.Is(err, refused) || readFile(t, w, aPath) != openIssue {
			t.Error(err)
		}
	})
	t.Run("values that a document cannot have", func(t *testing.T) {
		for field, f := range map[string]Fields{
			"type": {Type: new("bug")}, "status": {Status: new("done")}, "priority": {Priority: new("urgent")},
			"description": {Description: new("a\x00")}, "note": {Append: "a\x00"},
		} {
			w := clocked(t, map[string]string{aPath: openIssue})
			var refused *ValueError
			if _, err := update(w, f); !errors.As(err, &refused) || refused.Field != field || readFile(t, w, aPath) != openIssue {
				t.Errorf("%s: %v", field, err)
			}
		}
	})
	t.Run("frontmatter that cannot be read, until a person mends it", func(t *testing.T) {
		for name, text := range map[string]string{
			"merge markers": "---\nid: a\n<<<<<<< ours\nstatus: open\n=======\n>>>>>>> theirs\n---\nBody\n",
			"unclosed":      "---\nid: a\nBody\n",
			"invalid":       "---\nassignee: @me\n---\n",
			"not UTF-8":     "---\nid: \xff\n---\n",
			"NUL below it":  "---\nid: a\n---\n\x00\n",
		} {
			w := clocked(t, map[string]string{aPath: text})
			var refused *UneditableError
			if _, err := update(w, Fields{Status: new("closed"), Description: new("x")}); !errors.As(err, &refused) || readFile(t, w, aPath) != text {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("files that are too large, or would become so", func(t *testing.T) {
		w := clocked(t, map[string]string{aPath: openIssue})
		long := strings.Repeat("x", MaxFileSize)
		for field, f := range map[string]Fields{
			"description": {Description: &long}, "note": {Append: long}, "labels": {Description: new("x"), Labels: &[]string{long[:frontmatter.MaxFrontmatterSize]}},
		} {
			var refused *ValueError
			if _, err := update(w, f); !errors.As(err, &refused) || refused.Field != field || readFile(t, w, aPath) != openIssue {
				t.Errorf("%s: %v", field, err)
			}
		}
		var refused *UneditableError
		if err := os.Truncate(filepath.Join(w.Root, aPath), MaxFileSize+1); err != nil {
			t.Fatal(err)
		}
		if _, err := update(w, Fields{Title: new("T")}); !errors.As(err, &refused) {
			t.Error(err)
		}
	})
	t.Run("files that are write-protected", func(t *testing.T) {
		w := clocked(t, map[string]string{aPath: openIssue})
		if err := os.Chmod(filepath.Join(w.Root, aPath), 0o444); err != nil {
			t.Fatal(err)
		}
		if _, err := update(w, Fields{Title: new("T")}); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "permission denied") {
			t.Error(err)
		}
	})
	t.Run("to call it a success when another program wrote at the same moment", func(t *testing.T) {
		root := t.TempDir()
		writeFiles(t, root, map[string]string{aPath: openIssue})
		w, d := openFaulty(t, root, never)
		last := ""
		d.strike = func(_ int, op string) (bool, error) {
			if op == "read" && last == "syncDir" {
				writeFiles(t, root, map[string]string{aPath: "from outside"})
			}
			last = op
			return false, nil
		}
		var changed *ConflictError
		if _, err := update(w, Fields{Title: new("T")}); !errors.As(err, &changed) || readFile(t, w, aPath) != "from outside" {
			t.Error(err)
		}
	})
}
