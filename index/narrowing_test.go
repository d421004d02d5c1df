package index

import (
	"fmt"
	"testing"
)

func TestNarrowingNamesTheFieldsThatLeaveNothingReady(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	for id, lines := range map[string][]string{
		"A-1": {"labels: [x]"}, "A-2": {"priority: low", "assignee: ann"}, "A-3": {"status: closed", "labels: [y]"}, "A-4": {"assignee: ben"},
	} {
		k.note(id, lines...)
	}
	ix := k.open(Options{Mode: ModeVerify})
	for _, c := range []struct {
		f    Filter
		want string
	}{
		{Filter{}, "{0 []}"}, // no filter, which narrows nothing
		{Filter{Labels: []string{"nope"}}, "{3 [labels]}"},
		{Filter{Labels: []string{"y"}, MeantFor: "ann"}, "{2 [labels]}"},
		{Filter{Labels: []string{"x"}, Priorities: []string{"low"}}, "{3 []}"},
		{Filter{Labels: []string{"x"}, Project: "p", Where: AskedCriteria{Text: "title ~ nothing"}}, "{3 [project where]}"},
		{Filter{Assignee: "ben", Types: []string{"idea"}, MeantFor: "ann"}, "{2 [types]}"},
	} {
		got, err := ix.Narrowing(t.Context(), c.f)
		if err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%+v: got %v, want %s; %v", c.f, got, c.want, err)
		}
	}
}
