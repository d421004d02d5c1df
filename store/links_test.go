package store

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestUpdateLinks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, before string
		fields       Fields
		after        string
	}{
		{"a first dependency gets the key dependsOn", "id: A-1\n", Fields{AddDependsOn: []string{"ISS-000012"}}, "id: A-1\ndependsOn:\n  - ISS-000012\n"},
		{"another one goes where the others are", "blocked_by: [x-1]\n", Fields{AddDependsOn: []string{"x-2"}}, "blocked_by: [x-1, x-2]\n"},
		{"one that is there in another spelling is not added", "dependencies: [iss-12]\n", Fields{AddDependsOn: []string{"ISS-000012"}}, "dependencies: [iss-12]\n"},
		{"nor one that is there as a link", "dependencies: ['[[ISS-000012|Twelve]]']\n", Fields{AddDependsOn: []string{"iss-12"}}, "dependencies: ['[[ISS-000012|Twelve]]']\n"},
		{"nor one that is there as a link without quotes", "dependencies:\n  - [[iss-12]] # twelve\n", Fields{AddDependsOn: []string{"iss-12", "x-2"}}, "dependencies:\n  - [[iss-12]] # twelve\n  - x-2\n"},
		{"which alone is no list of ids, and becomes one", "dependsOn: [[iss-12]]\n", Fields{AddDependsOn: []string{"x-2"}}, "dependsOn: ['[[iss-12]]', x-2]\n"},
		{"nor one that another key has", "dependsOn: [x-1]\nblockedBy: [x-2]\n", Fields{AddDependsOn: []string{"x-2"}}, "dependsOn: [x-1]\nblockedBy: [x-2]\n"},
		{"one is removed in any spelling, and the comments stay", "dependsOn: # all\n  - ISS-000012 # why\n  # more\n  - ISS-000013\n", Fields{RemoveDependsOn: []string{"iss-12"}}, "dependsOn: # all\n  # more\n  - ISS-000013\n"},
		{"one is removed from every key", "dependsOn: [x-1, x-2]\nblockedBy: [x-2]\n", Fields{RemoveDependsOn: []string{"x-2"}}, "dependsOn: [x-1]\nblockedBy: []\n"},
		{"one that is not there is not removed", "dependsOn: [x-1]\n", Fields{RemoveDependsOn: []string{"x-2"}}, "dependsOn: [x-1]\n"},
		{"all are replaced, and those that stay keep their spelling", "dependsOn: [x-01, x-2]\nblockedBy: [x-3, x-4]\n", Fields{DependsOn: new([]string{"x-1", "x-4", "x-5"})}, "dependsOn: [x-01, x-5]\nblockedBy: [x-4]\n"},
		{"all are removed", "dependsOn: [x-1]\n", Fields{DependsOn: new([]string{})}, "dependsOn: []\n"},
		{"none at all stay none", "id: A-1\n", Fields{DependsOn: new([]string{}), RemoveDependsOn: []string{"x-1"}}, "id: A-1\n"},
		{"what others wait for is never written", "blocks: [x-1]\n", Fields{AddDependsOn: []string{"x-2"}}, "blocks: [x-1]\ndependsOn:\n  - x-2\n"},
		{"a first parent goes to the context", "id: A-1\n", Fields{Parent: new("ISS-1")}, "id: A-1\nwranglerContext:\n  parentTaskId: ISS-1\n"},
		{"another parent takes the place of the one that counts", "parent_task_id: x-1\nparent: x-2\n", Fields{Parent: new("x-3")}, "parent_task_id: x-3\nparent: x-2\n"},
		{"in the context, too", "parent: x-1\nwranglerContext: {parentTaskId: x-2}\n", Fields{Parent: new("x-3")}, "parent: x-1\nwranglerContext: {parentTaskId: x-3}\n"},
		{"the same parent changes nothing", "parent: x-1\n", Fields{Parent: new("x-1")}, "parent: x-1\n"},
		{"no parent is left when it is removed", "parent: x-1\nid: A-1\nparentTaskId: x-2\n", Fields{Parent: new("")}, "id: A-1\n"},
		{"nor when it is removed from the context", "parent: x-1\nid: A-1\nwranglerContext: {parentTaskId: x-2}\n", Fields{Context: map[string]json.RawMessage{"parentTaskId": nil}}, "id: A-1\nwranglerContext: {}\n"},
		{"a parent of the context goes where the parent is", "parent: x-1\n", Fields{Context: map[string]json.RawMessage{"parentTaskId": json.RawMessage(`"x-2"`)}}, "parent: x-2\n"},
		{"and is removed from there", "id: A-1\nparent: x-1\n", Fields{Context: map[string]json.RawMessage{"parentTaskId": nil}}, "id: A-1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := clocked(t, map[string]string{aPath: "---\n" + c.before + "updatedAt: 2026-01-01\n---\nBody\n"})
			done, err := update(w, c.fields)
			if err != nil {
				t.Fatal(err)
			}
			head, _, _ := strings.Cut(strings.TrimPrefix(readFile(t, w, aPath), "---\n"), "---\n")
			stamp := "updatedAt: 2026-01-01\n"
			if done.Changed {
				stamp = "updatedAt: 2026-03-01\n"
			}
			if head = strings.Replace(head, stamp, "", 1); head != c.after {
				t.Errorf("%q, want %q", head, c.after)
			}
			if done.Changed == (c.before == c.after) || done.Changed != (len(done.Changes) > 0) {
				t.Errorf("changed %v: %v", done.Changed, done.Changes)
			}
		})
	}

	t.Run("a list that cannot be read whole is not written", func(t *testing.T) {
		t.Parallel()
		const text = "---\ndependsOn: [x-1, {id: x-2}]\n---\n"
		w := newWorkspace(t, map[string]string{aPath: text})
		var uneditable *UneditableError
		if _, err := update(w, Fields{AddDependsOn: []string{"x-3"}}); !errors.As(err, &uneditable) || !strings.Contains(err.Error(), "dependsOn") {
			t.Error(err)
		}
		if got := readFile(t, w, aPath); got != text {
			t.Errorf("%q", got)
		}
	})
}

func TestFoldID(t *testing.T) {
	for id, want := range map[string]string{"ISS-000042": "iss-42", "iss-42": "iss-42", "A-0": "a-0", "a-00.010": "a-0.10", "": "", "Ä-1": "ä-1"} {
		if got := FoldID(id); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}
