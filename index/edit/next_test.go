package edit

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"issues-index/index"
)

func TestNextChooses(t *testing.T) {
	set := func(b claimBench, id, key, value string) { b.change(id, "title:", key+": "+value+"\ntitle:") }
	t.Run("the highest priority, then the oldest", func(t *testing.T) {
		b := newClaims(t, one, two, three, "ISS-000004")
		set(b, one, "priority", "low")
		set(b, two, "priority", "high")
		set(b, two, "createdAt", "2026-02-02T00:00:00Z")
		set(b, three, "priority", "high")
		set(b, three, "createdAt", "2026-01-01T00:00:00Z")
		var got []string
		for range 5 {
			got = append(got, b.next("anna"))
		}
		if want := []string{three, two, "ISS-000004", one, ""}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
	t.Run("only what is ready, and what the filter lets through", func(t *testing.T) {
		b := newClaims(t, one, two, three)
		set(b, one, "dependsOn", "[ISS-000002]")
		set(b, three, "labels", "[search]")
		if got := b.next("anna", index.Filter{Labels: []string{"search"}}); got != three {
			t.Errorf("with a label: %s", got)
		}
		if got := []string{b.next("anna"), b.next("anna")}; !slices.Equal(got, []string{two, ""}) {
			t.Errorf("then %v", got)
		}
	})
	t.Run("whether few have a label, or many, or it is none at all", func(t *testing.T) {
		root := t.TempDir()
		for i := range 80 {
			label := []string{"[]", "[common]"}[i%2]
			if i == 70 {
				label = "[rare, common]"
			}
			put(t, root, issuePath(issueID(i+1)), issueID(i+1), fmt.Sprintf("%s\nlabels: %s", []string{"closed", "open"}[min(i/10, 1)], label))
		}
		b := claimsIn(t, root)
		for _, c := range []struct {
			labels []string
			want   string
		}{
			{[]string{"common"}, issueID(12)}, {[]string{"rare"}, issueID(71)}, {[]string{index.None}, issueID(11)},
			{[]string{"rare", "common"}, issueID(14)}, {[]string{"rare"}, ""}, {[]string{"unheard"}, ""},
		} {
			if got := b.next("anna", index.Filter{Labels: c.labels}); got != c.want {
				t.Errorf("%v: %s, want %s", c.labels, got, c.want)
			}
		}
	})
	t.Run("what is assigned to nobody or to the holder, or to whom the filter names", func(t *testing.T) {
		b := newClaims(t, one, two)
		set(b, one, "assignee", "ben")
		set(b, two, "assignee", "anna")
		if got := []string{b.next("anna"), b.next("anna"), b.next("anna", index.Filter{Assignee: "ben"})}; !slices.Equal(got, []string{two, "", one}) {
			t.Errorf("%v", got)
		}
	})
	t.Run("and passes over what cannot be claimed, and says so", func(t *testing.T) {
		b := newClaims(t, one, two)
		put(t, b.root, ".wrangler/issues/twin.md", one, "open")
		b.change(two, "title: ", "title: x\ntitle: ")
		put(t, b.root, issuePath(three), three, "open")
		next, err := b.Next(t.Context(), index.Filter{}, ClaimRequest{Holder: "anna"})
		if err != nil || next.After.ID != three || len(next.Skipped) == 0 {
			t.Errorf("%+v, %v", next, err)
		}
	})
}

// What outranks ready work is taken over before it.
func TestAbandonedWorkGoesByPriority(t *testing.T) {
	for _, c := range []struct{ priority, want string }{{"high", one}, {"medium", two}, {"low", two}} {
		b := newClaims(t, one, two)
		b.change(one, "status: open", "status: open\npriority: "+c.priority)
		b.mustClaim("anna", one)
		b.pass(5 * time.Hour)
		if got := b.next("ben"); got != c.want {
			t.Errorf("%s: next gives %s, want %s", c.priority, got, c.want)
		}
	}
}

// Of many callers of next exactly one gets each document.
func TestCallersOfNextGetDifferentDocuments(t *testing.T) {
	const documents, callers = 5, 8
	ids := make([]string, documents)
	for i := range ids {
		ids[i] = issueID(i + 1)
	}
	b := newClaims(t, ids...)
	got := make([]string, callers)
	var wait sync.WaitGroup
	for i := range got {
		wait.Go(func() { got[i] = b.next(fmt.Sprint("agent-", i)) })
	}
	wait.Wait()
	slices.Sort(got)
	if want := append(make([]string, callers-documents), ids...); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
