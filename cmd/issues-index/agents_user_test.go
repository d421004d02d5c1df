package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A user is one of several who work on a workspace, each by a server or a
// session of his own, and remembers what he was told. Of the shared documents he
// sets fields that nobody else sets, adds labels and keys that nobody else adds,
// and so knows what must be there in the end.
type user struct {
	t         *testing.T
	number    int
	agents    []toolCaller // of all users
	shared    []string
	random    *rand.Rand
	model     model
	conflicts int // refused changes of documents that kept moving
}

// fieldOwners is how many users have a field of the shared documents that is theirs. Further
// ones set none.
const fieldOwners = 4

func (u *user) agent() toolCaller { return u.agents[u.number] }

// operate does the n-th operation.
func (u *user) operate(n int) {
	mark := fmt.Sprintf("u%d-%d", u.number, n)
	document := u.shared[u.random.IntN(len(u.shared))]
	switch dice := u.random.IntN(100); {
	case dice < 25:
		u.create(mark)
	case dice < 50:
		u.setField(document, mark)
	case dice < 65:
		if u.change("issues_labels", map[string]any{"operation": "add", "issueId": document, "labels": []string{mark}}) {
			u.model.labels[document] = append(u.model.labels[document], mark)
			u.othersSee(document, mark)
		}
	case dice < 75:
		if u.change("issues_metadata", map[string]any{"operation": "set", "issueId": document, "key": mark, "value": n}) {
			u.model.keys[document] = append(u.model.keys[document], mark)
			u.othersSee(document, mark)
		}
	case dice < 85:
		u.batch(mark)
	case dice < 93:
		if id, o := u.ownOpen(); o != nil {
			var done struct{ Path string }
			mustCall(u.t, u.agent(), "issues_mark_complete", map[string]any{"id": id, "note": mark}, &done)
			o.path, o.note = done.Path, mark
			u.othersSee(id, mark)
		}
	default:
		if id, o := u.ownOpen(); o != nil {
			mustCall(u.t, u.agent(), "issues_delete", map[string]any{"id": id, "confirm": true}, nil)
			o.deleted = true
		}
	}
}

func (u *user) create(mark string) {
	var made struct{ ID, Path string }
	mustCall(u.t, u.agent(), "issues_create", map[string]any{"title": "By " + mark, "description": "Text."}, &made)
	if u.model.own[made.ID] != nil {
		u.t.Errorf("the id %s was given out twice", made.ID)
	}
	u.model.own[made.ID] = &owned{path: made.Path}
	u.othersSee(made.ID, mark)
}

// setField sets a field that is the user's. The first one's is the status, so
// that documents move while the others change them.
func (u *user) setField(document, mark string) {
	if u.number >= fieldOwners {
		return
	}
	field, value := "title", "By "+mark
	switch u.number {
	case 0:
		field, value = "status", []string{"open", "in_progress", "closed", "cancelled"}[u.random.IntN(4)]
	case 1:
		field = []string{"assignee", "description"}[u.random.IntN(2)]
	case 2:
		field = "project"
	}
	if u.change("issues_update", map[string]any{"id": document, field: value}) {
		u.remember(document, field, value)
		if u.number > 0 {
			u.othersSee(document, mark)
		}
	}
}

func (u *user) remember(document, field, value string) {
	if u.model.fields[document] == nil {
		u.model.fields[document] = map[string]string{}
	}
	u.model.fields[document][field] = value
}

// batch sets a field of several documents, with an item that cannot be done.
func (u *user) batch(mark string) {
	field, value := "assignee", "by "+mark
	switch u.number {
	case 0:
		field, value = "priority", []string{"low", "medium", "high"}[u.random.IntN(3)]
	case 2:
		field = "project"
	}
	if u.number >= 3 {
		return // the title is in no batch
	}
	updates := []map[string]any{{"id": "ISS-999999", field: value}}
	for _, i := range u.random.Perm(len(u.shared))[:3] {
		updates = append(updates, map[string]any{"id": u.shared[i], field: value})
	}
	var b struct {
		Results []struct {
			ID    string
			OK    bool
			Error string
		}
	}
	mustCall(u.t, u.agent(), "issues_update_batch", map[string]any{"updates": updates}, &b)
	for i, r := range b.Results {
		switch {
		case i == 0:
			if !strings.HasPrefix(r.Error, "[ISSUE_NOT_FOUND]") {
				u.t.Errorf("an item that cannot be done: %+v", r)
			}
		case r.OK:
			u.remember(r.ID, field, value)
		case strings.HasPrefix(r.Error, "[CONFLICT]"):
			u.conflicts++
		default:
			u.t.Errorf("%s: %s", r.ID, r.Error)
		}
	}
}

// change calls a tool that changes a shared document, and reports whether it
// did. That it was moved by others twice during the call is no mistake.
func (u *user) change(tool string, arguments map[string]any) bool {
	answer, err := u.agent().call(tool, arguments)
	switch {
	case err != nil:
		u.t.Errorf("%s %v: %v", tool, arguments, err)
		return false
	case answer.Meta.Error.Code == "CONFLICT":
		u.conflicts++
		return false
	case answer.IsError:
		u.t.Errorf("%s %v: %s", tool, arguments, answer.text())
	}
	return !answer.IsError
}

// othersSee checks that another server shows what was just acknowledged, unless
// others may have changed it since.
func (u *user) othersSee(id, mark string) {
	other := u.agents[u.random.IntN(len(u.agents))]
	answer, err := other.call("issues_get", map[string]any{"id": id})
	if err != nil {
		u.t.Error(err)
		return
	}
	if !strings.Contains(answer.text(), mark) {
		u.t.Errorf("another server does not show %s of %s: %s", mark, id, answer.text())
	}
}

// ownOpen is one of the user's documents that is open still, nil if none is.
func (u *user) ownOpen() (string, *owned) {
	for _, id := range slices.Sorted(maps.Keys(u.model.own)) {
		if o := u.model.own[id]; o.note == "" && !o.deleted {
			return id, o
		}
	}
	return "", nil
}
