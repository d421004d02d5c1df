package edit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index"
)

// found are the ids that a query finds, and whether all of them have a claim that is stale.
func (b claimBench) found(q index.Query) (ids string, stale bool) {
	b.t.Helper()
	q.Limit, q.Claims, q.Sort = 5, true, index.Sort{Key: index.SortCreated}
	page, err := b.ix.Find(b.t.Context(), q)
	if err != nil || page.Unleased != nil || page.Total != len(page.Rows) {
		b.t.Fatal(err, page.Unleased, page.Total, len(page.Rows))
	}
	stale = true
	var all []string
	for _, r := range page.Rows {
		all = append(all, r.ID)
		stale = stale && r.Claim != nil && r.Claim.Stale
	}
	slices.Sort(all)
	return strings.Join(all, " "), stale
}

// Stale is a claim whose lease has lapsed, however one asks, from the moment that it has: no
// file changes for that.
func TestStaleIsALapsedClaim(t *testing.T) {
	asked := map[string]index.Query{
		"the filter":    {Filter: index.Filter{Stale: true}},
		"the criterion": {Filter: index.Filter{Where: index.AskedCriteria{Text: "is:stale"}}},
		"in a search":   {Search: true, Text: "a", Filter: index.Filter{Stale: true}},
		"not live":      {Filter: index.Filter{Where: index.AskedCriteria{Text: "status = in_progress and is:stale"}}},
	}
	b := newClaims(t, one, two, three)
	b.change(three, "status: open", "status: in_progress\nassignee: ben") // without a claim
	b.mustClaim("anna", one)
	b.pass(time.Hour)
	b.mustClaim("anna", two)
	for _, step := range []struct {
		pass time.Duration
		want string
	}{{0, ""}, {3*time.Hour - time.Millisecond, ""}, {time.Millisecond, one}, {time.Hour, one + " " + two}} {
		b.pass(step.pass)
		for name, q := range asked {
			if q.Search {
				q.Text = strings.Fields(b.doc(one).Title)[0]
			}
			if ids, stale := b.found(q); ids != step.want || !stale {
				t.Errorf("after %v, %s: %q, stale %t, want %q", step.pass, name, ids, stale, step.want)
			}
		}
		live, _ := b.found(index.Query{Filter: index.Filter{Where: index.AskedCriteria{Text: "status = in_progress and not is:stale"}}})
		if !strings.Contains(live, three) || step.want != "" && strings.Contains(live, one) {
			t.Errorf("after %v, live are %q", step.pass, live)
		}
	}
	mine, _ := b.found(index.Query{Filter: index.Filter{ClaimedBy: "anna", Stale: true}})
	if mine != one+" "+two {
		t.Errorf("of anna are %q", mine)
	}
	if _, err := b.Renew(t.Context(), DocumentRef{ID: one}, ClaimRequest{Holder: "anna"}, 0); err != nil {
		t.Fatal(err)
	}
	if ids, _ := b.found(asked["the criterion"]); ids != two {
		t.Errorf("after a renewal %q", ids)
	}
}

// What the list of ready work has is what next gives, one after the other, and what a
// document itself says: readiness is one rule.
func TestReadinessIsOneRule(t *testing.T) {
	b := newClaims(t, one, two, three, "ISS-000004", "ISS-000005")
	b.change(two, "status: open", "status: open\ndependsOn: [ISS-000001]")
	b.change("ISS-000004", "status: open", "status: open\ndefer_until: 2026-04-01")
	b.change("ISS-000005", "status: open", "status: open\nparent: ISS-000003")
	for step := range 5 {
		ready, _ := b.found(index.Query{Filter: index.Filter{Ready: true}})
		worded, _ := b.found(index.Query{Filter: index.Filter{Where: index.AskedCriteria{Text: "is:ready"}}})
		var linked []string
		for n := range 5 {
			links, err := b.ix.Links(t.Context(), issueID(n+1))
			if err != nil {
				t.Fatal(err)
			}
			if links.Ready() {
				linked = append(linked, issueID(n+1))
			}
		}
		if ready != worded || ready != strings.Join(linked, " ") {
			t.Errorf("step %d: ready are %q, by criteria %q, by themselves %q", step, ready, worded, linked)
		}
		got := b.next("anna")
		if got == "" != (ready == "") || got != "" && !strings.Contains(ready, got) {
			t.Errorf("step %d: of %q next gives %q", step, ready, got)
		}
		if again, _ := b.found(index.Query{Filter: index.Filter{Ready: true}}); got != "" && strings.Contains(again, got) {
			t.Errorf("step %d: what is claimed is ready", step)
		}
		if got != "" {
			if _, err := b.Complete(t.Context(), DocumentRef{ID: got}, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A page of who works on what asks for all claims at once, live and lapsed.
func TestClaimedHasEveryClaimThatCounts(t *testing.T) {
	b := newClaims(t, one, two, three)
	claimed := func() (all []string) {
		rows, err := b.ix.Claimed(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			all = append(all, fmt.Sprintf("%s %s %t %s", r.ID, r.Claim.Holder, r.Claim.Stale, r.Claim.Since.Format("15:04")))
		}
		slices.Sort(all)
		return all
	}
	if got := claimed(); len(got) > 0 {
		t.Errorf("without a claim: %q", got)
	}
	b.mustClaim("anna", one)
	b.pass(4 * time.Hour)
	b.mustClaim("ben", two)
	b.mustClaim("ben", three)
	b.change(three, "assignee: ben", "assignee: carl") // which ends the claim
	if got, want := claimed(), []string{one + " anna true 12:00", two + " ben false 16:00"}; !slices.Equal(got, want) {
		t.Errorf("claimed are %q, want %q", got, want)
	}
}
