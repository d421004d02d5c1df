package edit

import (
	"testing"

	"issues-index/index/claims"
)

// Whose document was taken over while its server was gone learns from the next one that the
// claim had lapsed, and who has it.
func TestWhoComesBackIsToldWhoTookOver(t *testing.T) {
	b, gone := newClaims(t, one), map[string]bool{}
	leases := b.ix.Leases()
	leases.Runs = func(process string) bool { return !gone[process] }
	join := func(process string) claims.HolderSession {
		s, err := leases.Join(t.Context(), claims.HolderSession{Client: "x", Token: "of-" + process, Process: process, Parent: "program"})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := join("one")
	if _, err := b.Claim(t.Context(), DocumentRef{ID: one}, ClaimRequest{Holder: s.Holder(), Session: s}); err != nil {
		t.Fatal(err)
	}
	gone["one"] = true
	if b.next("anna") != "" || refused(second(b.claim("anna", one))) != ClaimLapsed {
		t.Error("it was taken over at once")
	}
	b.pass(claims.RestartTime)
	if b.next("anna") != one {
		t.Fatal("it was not taken over")
	}
	b.pass(1)
	lost, err := b.told(join("two").Holder())
	if err != nil || len(lost.Ended) != 1 || lost.Ended[0].EndedBy != "anna" || !lost.Ended[0].TakenOver() || lost.Ended[0].Ended.Before(lost.Ended[0].Expires) {
		t.Errorf("%+v, %v", lost, err)
	}
}

func second[A, B any](_ A, b B) B { return b }
