package edit

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/store"
)

func TestLinksOfChanges(t *testing.T) {
	t.Parallel()
	to := func(f store.Fields) Change {
		return func(*store.Document) (store.Fields, error) { return f, nil }
	}
	text := func(t *testing.T, w workspace, id string) string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(w.root, issuePath(id)))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	t.Run("ids are written as the documents have them", func(t *testing.T) {
		w := fresh(t, "ISS-000001", "ISS-000002", "ISS-000003")
		_, err := w.Update(t.Context(), DocumentRef{ID: "ISS-000001"}, to(store.Fields{AddDependsOn: []string{"iss-2"}, Parent: new("3")}))
		if got := text(t, w, "ISS-000001"); err != nil || !strings.Contains(got, "  - ISS-000002\n") || !strings.Contains(got, "parentTaskId: ISS-000003\n") {
			t.Error(got, err)
		}
	})
	t.Run("an id of no document is refused, and nothing is changed", func(t *testing.T) {
		w := fresh(t, "ISS-000001", "ISS-000002")
		before := text(t, w, "ISS-000001")
		for field, f := range map[string]store.Fields{
			"dependsOn":    {DependsOn: new([]string{"ISS-000002", "ISS-000099"})},
			"addDependsOn": {AddDependsOn: []string{"ISS-000099"}},
			"parent":       {Parent: new("ISS-000099")},
		} {
			_, err := w.Update(t.Context(), DocumentRef{ID: "ISS-000001"}, to(f))
			var wrong *LinkError
			var unknown *index.NotFoundError
			if !errors.As(err, &wrong) || wrong.Field != field || !errors.As(err, &unknown) || unknown.ID != "ISS-000099" {
				t.Errorf("%s: %v", field, err)
			}
		}
		if _, err := w.Create(t.Context(), store.NewDocument{Title: "New", DependsOn: []string{"ISS-000099"}}, false); err == nil {
			t.Error("a new document may wait for what is not there")
		}
		if after := text(t, w, "ISS-000001"); after != before {
			t.Error(after)
		}
	})
	t.Run("an id that the document has already may name none", func(t *testing.T) {
		w := fresh(t, "ISS-000001")
		document := "---\nid: ISS-000002\ndependsOn: [ISS-000099]\n---\n"
		if err := os.WriteFile(filepath.Join(w.root, issuePath("ISS-000002")), []byte(document), 0o644); err != nil {
			t.Fatal(err)
		}
		done, err := w.Update(t.Context(), DocumentRef{ID: "ISS-000002"}, to(store.Fields{DependsOn: new([]string{"ISS-000099", "ISS-000001"})}))
		if err != nil || strings.Join(done.After.DependsOn(), " ") != "ISS-000099 ISS-000001" {
			t.Error(done.After, err)
		}
	})
	t.Run("a change that closes a cycle is refused, naming the way round", func(t *testing.T) {
		w := fresh(t, "ISS-000001", "ISS-000002", "ISS-000003")
		for _, step := range []struct{ id, waitsFor string }{{"ISS-000001", "ISS-000002"}, {"ISS-000002", "ISS-000003"}} {
			if _, err := w.Update(t.Context(), DocumentRef{ID: step.id}, to(store.Fields{AddDependsOn: []string{step.waitsFor}})); err != nil {
				t.Fatal(err)
			}
		}
		for name, f := range map[string]store.Fields{
			"a dependency":            {AddDependsOn: []string{"ISS-000001"}},
			"a parent":                {Parent: new("ISS-000001")},
			"itself":                  {AddDependsOn: []string{"ISS-000003"}},
			"a parent in the context": {Context: map[string]json.RawMessage{"parentTaskId": json.RawMessage(`"ISS-000001"`)}},
		} {
			before := text(t, w, "ISS-000003")
			_, err := w.Update(t.Context(), DocumentRef{ID: "ISS-000003"}, to(f))
			var cycle *CycleError
			if !errors.As(err, &cycle) || cycle.Path[0] != cycle.Path[len(cycle.Path)-1] {
				t.Errorf("%s: %v", name, err)
			}
			if after := text(t, w, "ISS-000003"); after != before {
				t.Errorf("%s: changed to %s", name, after)
			}
		}
	})
	t.Run("so is one that closes it together with an earlier one of the batch", func(t *testing.T) {
		w := fresh(t, "ISS-000001", "ISS-000002")
		results, err := w.UpdateAll(t.Context(), []BatchItem{
			{DocumentRef{ID: "ISS-000001"}, to(store.Fields{AddDependsOn: []string{"ISS-000002"}})},
			{DocumentRef{ID: "ISS-000002"}, to(store.Fields{AddDependsOn: []string{"ISS-000001"}})},
		})
		var cycle *CycleError
		if err != nil || results[0].Err != nil || !errors.As(results[1].Err, &cycle) {
			t.Errorf("%v, %v", results, err)
		}
	})
}
