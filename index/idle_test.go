package index

import (
	"maps"
	"testing"
	"time"
)

func TestIdle(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for id, lines := range map[string][]string{
		"A-1": {"priority: low"},
		"A-2": {"dependsOn: [A-1]", "deferUntil: 2026-03-02"},
		"A-3": {"deferUntil: 2026-03-02"},
		"A-4": nil,
		"A-5": {"parent: A-4", "assignee: ben"},
		"A-6": {"status: in_progress", "assignee: ben", "labels: [x]"},
		"A-7": {"status: in_progress", "assignee: ann", "labels: [x]"},
		"A-8": {"status: closed"},
		"A-9": {"parent: A-2", "labels: [x]"},
	} {
		k.note(id, lines...)
	}
	ix := k.open(Options{Mode: ModeVerify, Now: func() time.Time { return now }})
	doc, _, err := ix.Workspace().Load(".wrangler/issues/A-7.md")
	if err == nil {
		_, err = ix.Leases().Grant(t.Context(), doc, "ann", time.Hour, false, now)
	}
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, f Filter, want map[IdleReason]int) {
		t.Helper()
		idle, err := ix.Idle(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		got := map[IdleReason]int{}
		for reason, n := range idle {
			if n > 0 {
				got[IdleReason(reason)] = n
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	all := map[IdleReason]int{IdleWaiting: 2, IdleDeferred: 1, IdleParent: 1, IdleReady: 2, IdleClaimed: 1, IdleUnclaimed: 1}
	check("each document once, for its first reason", Filter{}, all)
	check("whatever the filter says of readiness", Filter{Ready: true}, all)
	check("what is meant for others apart", Filter{MeantFor: "ann"},
		map[IdleReason]int{IdleWaiting: 2, IdleDeferred: 1, IdleParent: 1, IdleAssigned: 1, IdleReady: 1, IdleClaimed: 1, IdleUnclaimed: 1})
	check("of what the filter lets through", Filter{Labels: []string{"x"}, Blocked: true}, map[IdleReason]int{IdleWaiting: 1, IdleClaimed: 1, IdleUnclaimed: 1})
	check("of what criteria let through", Filter{Where: AskedCriteria{Text: "priority = low or assignee = ben"}}, map[IdleReason]int{IdleReady: 2, IdleUnclaimed: 1})
	now = now.AddDate(0, 0, 1)
	check("on the day that a document is deferred to, without a change", Filter{},
		map[IdleReason]int{IdleWaiting: 2, IdleParent: 1, IdleReady: 3, IdleClaimed: 1, IdleUnclaimed: 1})
	leases, err := ix.Leases().All(t.Context())
	if err == nil {
		err = ix.Leases().Drop(t.Context(), leases...)
	}
	if err != nil {
		t.Fatal(err)
	}
	check("once a claim has ended", Filter{}, map[IdleReason]int{IdleWaiting: 2, IdleParent: 1, IdleReady: 3, IdleUnclaimed: 2})
}
