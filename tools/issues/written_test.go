package issues

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// TestWritesShowAtOnce: what a server was told to write, its next answer shows,
// and so does the next answer of any other server of the workspace.
func TestWritesShowAtOnce(t *testing.T) {
	t.Parallel()
	hour := index.Options{Mode: index.ModePoll, CacheTTL: time.Hour} // sees nothing but what it is told
	for _, c := range []struct {
		name   string
		writer index.Options
		other  *index.Options
	}{
		{"watching servers", index.Options{Mode: index.ModeWatch}, &index.Options{Mode: index.ModeWatch}},
		{"verifying servers", index.Options{Mode: index.ModeVerify}, &index.Options{Mode: index.ModeVerify}},
		{"a polling server by itself", hour, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := serveWith(t, t.TempDir(), c.writer, edit.LockWait)
			readers := []fixture{f}
			if c.other != nil {
				readers = append(readers, serveWith(t, f.root, *c.other, edit.LockWait))
			}
			shows := func(step, tool string, arguments map[string]any, wants ...string) {
				t.Helper()
				for i, r := range readers {
					text := r.Call(t, tool, arguments).Text()
					for _, want := range wants {
						if !strings.Contains(text, want) {
							t.Errorf("%s: server %d shows no %q: %s", step, i, want, text)
						}
					}
				}
			}
			for _, r := range readers {
				r.Call(t, "issues_stats", map[string]any{"groupBy": "type"}) // has the index opened
			}

			toolstest.Must[createAnswer](t, f.Client, "issues_create", map[string]any{"title": "First", "description": "About otters."})
			shows("created", "issues_get", map[string]any{"id": "ISS-000001"}, "First", "About otters.")
			shows("created", "issues_search", map[string]any{"query": "otters"}, "Showing 1 of 1")

			toolstest.Must[revision](t, f.Client, "issues_update", map[string]any{"id": "ISS-000001", "description": "About beavers.", "priority": "high"})
			shows("updated", "issues_search", map[string]any{"query": "beavers"}, "ISS-000001 open high First")
			shows("updated", "issues_search", map[string]any{"query": "otters"}, "No issues match")

			toolstest.Must[map[string]any](t, f.Client, "issues_labels", map[string]any{"operation": "add", "issueId": "ISS-000001", "labels": []string{"wet", "furry"}})
			shows("labelled", "issues_labels", map[string]any{"operation": "list"}, "1 furry", "1 wet")
			toolstest.Must[map[string]any](t, f.Client, "issues_labels", map[string]any{"operation": "remove", "issueId": "ISS-000001", "labels": []string{"wet"}})
			shows("unlabelled", "issues_labels", map[string]any{"operation": "list"}, "1 labels", "1 furry")

			toolstest.Must[map[string]any](t, f.Client, "issues_projects", map[string]any{"operation": "add", "issueId": "ISS-000001", "project": "Rivers"})
			shows("put into a project", "issues_projects", map[string]any{"operation": "list"}, "1 Rivers")
			toolstest.Must[map[string]any](t, f.Client, "issues_metadata", map[string]any{"operation": "set", "issueId": "ISS-000001", "key": "dams", "value": 3})
			shows("given metadata", "issues_metadata", map[string]any{"operation": "get", "issueId": "ISS-000001"}, `{"dams":3}`)

			toolstest.Must[batchUpdate](t, f.Client, "issues_update_batch", map[string]any{"updates": []map[string]any{
				{"id": "ISS-000001", "status": "in_progress"}, {"id": "ISS-000001", "assignee": "ann"},
			}})
			shows("updated in a batch", "issues_list", map[string]any{"assignee": "ann"}, "ISS-000001 in_progress high First")

			completed, _ := toolstest.Must[markCompleteAnswer](t, f.Client, "issues_mark_complete", map[string]any{"id": "ISS-000001", "note": "Built."})
			shows("completed", "issues_get", map[string]any{"id": "ISS-000001"}, "status: closed", "Built.", "path: "+completed.Path)
			shows("completed", "issues_all_complete", map[string]any{}, "All 1 issues complete.")

			toolstest.Must[deleteAnswer](t, f.Client, "issues_delete", map[string]any{"id": "ISS-000001", "confirm": true})
			shows("deleted", "issues_get", map[string]any{"id": "ISS-000001"}, "ISSUE_NOT_FOUND")
			shows("deleted", "issues_list", map[string]any{}, "No issues match")
		})
	}
}

// TestBatchOfFifty: each of fifty items is done or refused by itself, in one
// call, and the answer says which and why.
func TestBatchOfFifty(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for i := 1; i <= 40; i++ {
		toolstest.Write(t, root, fmt.Sprintf(".wrangler/issues/ISS-%06d.md", i), fmt.Sprintf("---\nid: ISS-%06d\ntitle: Issue %d\nstatus: open\n---\n", i, i))
	}
	toolstest.Write(t, root, ".wrangler/issues/twin-a.md", "---\nid: twin\n---\n")
	toolstest.Write(t, root, ".wrangler/issues/twin-b.md", "---\nid: twin\n---\n")
	toolstest.Write(t, root, ".wrangler/issues/broken.md", "---\nid: [\n---\n")
	toolstest.Write(t, root, ".wrangler/issues/ISS-000040.md", "---\nid: ISS-000040\nstatus: open\n---\n")
	toolstest.Write(t, root, ".wrangler/issues/archived/ISS-000040.md", "---\nid: other\nstatus: closed\n---\n")
	f := serve(t, root)

	var updates []map[string]any
	var bad []int
	want := map[int]string{ // what goes wrong, by the item's place
		3: "ISSUE_NOT_FOUND", 7: "VALIDATION_ERROR", 11: "AMBIGUOUS_ID", 17: "CONFLICT", 23: "MISSING_REQUIRED_FIELD",
		29: "PATH_TRAVERSAL_DENIED", 31: "VALIDATION_ERROR", 37: "CONFLICT", 41: "ISSUE_NOT_FOUND", 49: "VALIDATION_ERROR",
	}
	wrong := map[int]map[string]any{
		3: {"id": "ISS-999999", "status": "closed"}, 7: {"id": "ISS-000008", "priority": "P0"}, 11: {"id": "twin", "status": "closed"},
		17: {"id": "broken", "status": "closed"}, 23: {"status": "closed"}, 29: {"id": "../../x", "status": "closed"},
		31: {"id": "ISS-000008", "title": "no"}, 37: {"id": "ISS-000040", "status": "closed"}, 41: {"id": "", "status": "closed"},
		49: {"id": "ISS-000008", "labels": map[string]any{}},
	}
	want[41] = "MISSING_REQUIRED_FIELD"
	next := 1
	for i := range 50 {
		if item := wrong[i]; item != nil {
			updates, bad = append(updates, item), append(bad, i)
			continue
		}
		updates = append(updates, map[string]any{"id": fmt.Sprintf("ISS-%06d", 1+next%39), "priority": "high", "labels": []string{fmt.Sprint("item", i)}})
		next++
	}
	b, text := toolstest.Must[batchUpdate](t, f.Client, "issues_update_batch", map[string]any{"updates": updates})
	if b.Succeeded != 40 || b.Failed != 10 || len(b.Results) != 50 || !strings.HasPrefix(text, "40 of 50 updated. Failed: ISS-999999, ") {
		t.Fatalf("%d succeeded, %d failed, %d results: %s", b.Succeeded, b.Failed, len(b.Results), text)
	}
	last := map[string]string{} // label of the last item for an id
	for i, r := range b.Results {
		switch failed := slices.Contains(bad, i); {
		case failed == r.OK:
			t.Errorf("item %d: %+v", i, r)
		case failed && !strings.HasPrefix(r.Error, "["+want[i]+"] "):
			t.Errorf("item %d: want %s, got %s", i, want[i], r.Error)
		case !failed:
			last[r.ID] = fmt.Sprint("item", i)
		}
	}
	for id, label := range last {
		doc, _, err := f.ix.Workspace().Load(".wrangler/issues/" + id + ".md")
		if err != nil || doc.Priority != "high" || !slices.Equal(doc.Labels, []string{label}) {
			t.Errorf("%s has priority %s and labels %v, want %s; %v", id, doc.Priority, doc.Labels, label, err)
		}
	}
	if doc, _, err := f.ix.Workspace().Load(".wrangler/issues/ISS-000040.md"); err != nil || doc.Status != "open" {
		t.Errorf("a refused item was done: %v, %v", doc, err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	t.Run("a title has at most 200 characters", func(t *testing.T) {
		f := serve(t, t.TempDir())
		f.Refused(t, tools.CodeValidation, "issues_create", map[string]any{"title": strings.Repeat("é", 201), "description": "x"})
		toolstest.Must[createAnswer](t, f.Client, "issues_create", map[string]any{"title": strings.Repeat("é", 200), "description": "x"})
		text := f.Refused(t, tools.CodeValidation, "issues_update", map[string]any{"id": "ISS-000001", "title": strings.Repeat("é", 201)})
		if !strings.Contains(text, "201 characters. The maximum is 200") {
			t.Error(text)
		}
	})
	t.Run("while another program holds the lock, writing is RESOURCE_LOCKED and reading goes on", func(t *testing.T) {
		f := serveWith(t, t.TempDir(), index.Options{Mode: index.ModeVerify}, time.Millisecond)
		toolstest.Write(t, f.root, ".wrangler/issues/a.md", "---\nid: a\nstatus: open\n---\n")
		other, err := store.Open(store.Options{Root: f.root})
		if err != nil {
			t.Fatal(err)
		}
		_, err = other.Update(context.Background(), ".wrangler/issues/a.md", func(*store.Document) (store.Fields, error) {
			for tool, arguments := range map[string]map[string]any{
				"issues_create":        {"title": "New", "description": "x"},
				"issues_update":        {"id": "a", "status": "closed"},
				"issues_delete":        {"id": "a", "confirm": true},
				"issues_labels":        {"operation": "add", "issueId": "a", "labels": "x"},
				"issues_projects":      {"operation": "add", "issueId": "a", "project": "x"},
				"issues_metadata":      {"operation": "set", "issueId": "a", "key": "x", "value": 1},
				"issues_mark_complete": {"id": "a"},
			} {
				f.Refused(t, tools.CodeLocked, tool, arguments)
			}
			f.Refused(t, tools.CodeLocked, "issues_update_batch", map[string]any{"updates": []map[string]any{{"id": "a", "status": "closed"}}})
			toolstest.Must[map[string]any](t, f.Client, "issues_get", map[string]any{"id": "a"})
			return store.Fields{}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("a file in the way of a move is a CONFLICT that changes nothing", func(t *testing.T) {
		f := serve(t, t.TempDir())
		toolstest.Write(t, f.root, ".wrangler/issues/a.md", "---\nid: a\nstatus: open\n---\n")
		toolstest.Write(t, f.root, ".wrangler/issues/archived/a.md", "---\nid: b\nstatus: closed\n---\n")
		for tool, arguments := range map[string]map[string]any{
			"issues_update":        {"id": ".wrangler/issues/a.md", "status": "cancelled"},
			"issues_mark_complete": {"id": ".wrangler/issues/a.md"},
		} {
			if text := f.Refused(t, tools.CodeConflict, tool, arguments); !strings.Contains(text, "archived/a.md") || !strings.Contains(text, "Rename or delete one of the two files") {
				t.Error(text)
			}
		}
		for path, want := range map[string]string{"a.md": "---\nid: a\nstatus: open\n---\n", "archived/a.md": "---\nid: b\nstatus: closed\n---\n"} {
			if got, err := os.ReadFile(filepath.Join(f.root, ".wrangler", "issues", path)); err != nil || string(got) != want {
				t.Errorf("%s: %q, %v", path, got, err)
			}
		}
	})
	t.Run("a write-protected file is PERMISSION_DENIED", func(t *testing.T) {
		f := serve(t, t.TempDir())
		toolstest.Write(t, f.root, ".wrangler/issues/a.md", "---\nid: a\nstatus: open\n---\n")
		if err := os.Chmod(filepath.Join(f.root, ".wrangler", "issues", "a.md"), 0o444); err != nil {
			t.Fatal(err)
		}
		f.Refused(t, tools.CodePermissionDenied, "issues_update", map[string]any{"id": "a", "priority": "high"})
	})
	t.Run("a value that no file can hold is VALIDATION_ERROR, and leaves no file", func(t *testing.T) {
		f := serve(t, t.TempDir())
		var nest any
		for range 200 {
			nest = []any{nest}
		}
		for want, given := range storetest.Few(map[string]map[string]any{
			"wranglerContext: it has a key without a name": {"wranglerContext": map[string]any{"": 1}},
			"it is nested deeper than 100 levels":          {"wranglerContext": map[string]any{"k": nest}},
			"wranglerContext: it makes the frontmatter 70": {"wranglerContext": map[string]any{"k": strings.Repeat("x", 70_000)}},
			"labels: it makes the frontmatter 70":          {"labels": []string{strings.Repeat("x", 70_000)}},
			"description: it makes the file 17":            {"description": strings.Repeat("x", 17_000_000)},
		}, 3) {
			toolstest.Write(t, f.root, ".wrangler/issues/a.md", "---\nid: a\n---\n")
			for _, tool := range storetest.FewOf([]string{"issues_create", "issues_update"}, 1) {
				call := map[string]any{"title": "New", "description": "x"}
				if tool == "issues_update" {
					call = map[string]any{"id": "a"}
				}
				maps.Copy(call, given)
				if text := f.Refused(t, tools.CodeValidation, tool, call); !strings.Contains(text, want) {
					t.Error(text)
				}
			}
			if err := os.RemoveAll(filepath.Join(f.root, ".wrangler", "issues", "a.md")); err != nil {
				t.Fatal(err)
			}
			if left, err := os.ReadDir(filepath.Join(f.root, ".wrangler", "issues")); err != nil || len(left) > 0 {
				t.Errorf("%s: %v, %v", want, left, err)
			}
		}
	})
	t.Run("a NUL byte is VALIDATION_ERROR", func(t *testing.T) {
		f := serve(t, t.TempDir())
		f.Refused(t, tools.CodeValidation, "issues_create", map[string]any{"title": "New", "description": "a\x00b"})
	})
	t.Run("hostile ids change nothing", func(t *testing.T) {
		f := open(t, "testdata/workspace")
		toolstest.Write(t, f.root, "outside.md", "---\nid: outside\n---\n")
		for _, id := range []string{"../../etc/passwd", "/etc/passwd", `..\..\x`, "C:/x.md", "outside.md", ".git/config", "CON", "a\x00b", strings.Repeat("x/", 4000), "."} {
			for tool, arguments := range map[string]map[string]any{
				"issues_update": {"id": id, "status": "closed"},
				"issues_delete": {"id": id, "confirm": true},
			} {
				answer := f.Call(t, tool, arguments)
				if !answer.IsError || answer.Meta.Error.Code == string(tools.CodeInternal) {
					t.Errorf("%s %q: %s", tool, id, answer.Text())
				}
			}
		}
		if _, err := os.Stat(filepath.Join(f.root, "outside.md")); err != nil {
			t.Error(err)
		}
	})
}

func TestNullClearsAnAssigneeOrAProjectAndIsRefusedElsewhere(t *testing.T) {
	t.Parallel()
	const path, text = ".wrangler/issues/a.md", "---\nid: a\nassignee: ann\nproject: atlas\nlabels: [old]\nwranglerContext:\n  agentId: me\n---\n"
	setUp := func(t *testing.T) fixture {
		f := serve(t, t.TempDir())
		toolstest.Write(t, f.root, path, text)
		return f
	}
	for _, field := range []string{"assignee", "project"} {
		for tool, arguments := range map[string]map[string]any{
			"issues_update":       {"id": "a", field: nil},
			"issues_update_batch": {"updates": []any{map[string]any{"id": "a", field: nil}}},
		} {
			t.Run(tool+" removes the "+field, func(t *testing.T) {
				f := setUp(t)
				answer := f.Call(t, tool, arguments)
				if got := f.read(t, path); answer.IsError || strings.Contains(got, field+":") {
					t.Errorf("%s\n%s", answer.Text(), got)
				}
			})
		}
	}
	for field, arguments := range map[string]map[string]any{
		"title": {"title": nil}, "description": {"description": nil}, "type": {"type": nil}, "status": {"status": nil}, "priority": {"priority": nil},
		"labels": {"labels": nil}, "wranglerContext": {"wranglerContext": nil}, "wranglerContext.agentId": {"wranglerContext": map[string]any{"agentId": nil}},
	} {
		t.Run("issues_update refuses a null "+field, func(t *testing.T) {
			f := setUp(t)
			arguments["id"], arguments["assignee"] = "a", "bob"
			answer := f.Call(t, "issues_update", arguments)
			if got := f.read(t, path); got != text || !answer.IsError || answer.Meta.Error.Field != field {
				t.Errorf("%s\n%s", answer.Text(), got)
			}
		})
	}
	t.Run("issues_update_batch refuses that item alone", func(t *testing.T) {
		answer, _ := toolstest.Must[batchUpdate](t, setUp(t).Client, "issues_update_batch", map[string]any{
			"updates": []any{map[string]any{"id": "a", "status": nil}, map[string]any{"id": "a", "priority": "high"}},
		})
		if r := answer.Results; r[0].OK || !strings.Contains(r[0].Error, "updates[0].status: got null") || !r[1].OK {
			t.Errorf("%+v", r)
		}
	})
}

func TestWrittenLabels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		raw  any
		want string
	}{
		{"a list is taken as it is", []string{"a,b", "c"}, "a,b|c"},
		{"a lone string may be several", "a, b", "a|b"},
		{"so may the text of a list", `["a","b"]`, "a|b"},
		{"each is taken once, blanks are dropped", []string{" a ", "a", "", "b"}, "a|b"},
		{"none leaves them as they are", []string{"", " "}, "old"},
		{"an empty list clears", []string{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := serve(t, t.TempDir())
			toolstest.Write(t, f.root, ".wrangler/issues/a.md", "---\nid: a\nlabels: [old]\n---\n")
			toolstest.Must[revision](t, f.Client, "issues_update", map[string]any{"id": "a", "labels": c.raw})
			doc, _, err := f.ix.Workspace().Load(".wrangler/issues/a.md")
			if got := strings.Join(doc.Labels, "|"); err != nil || got != c.want {
				t.Errorf("labels %q, want %q; %v", got, c.want, err)
			}
		})
	}
	t.Run("a label with a comma can be removed", func(t *testing.T) {
		f := serve(t, t.TempDir())
		toolstest.Write(t, f.root, ".wrangler/issues/a.md", "---\nid: a\nlabels: ['x,y', z]\n---\n")
		l, _ := toolstest.Must[namesAnswer](t, f.Client, "issues_labels", map[string]any{"operation": "remove", "issueId": "a", "labels": "x,y"})
		if len(l.Labels) != 1 || l.Labels[0].Name != "z" {
			t.Error(l.Labels)
		}
	})
}
