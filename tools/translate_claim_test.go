package tools

import (
	"strings"
	"testing"
	"time"

	"issues-index/index/claims"
	"issues-index/index/edit"
	"issues-index/index/team/share"
)

// What a team refuses says where the claim is, and what to do.
func TestClaimsOfATeamSayWhatToDo(t *testing.T) {
	until := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		err            error
		client, person string
	}{
		{
			&edit.ClaimError{ID: "ISS-000041", Reason: edit.ClaimHeld, Holder: "ben", Until: until, Elsewhere: true},
			"ISS-000041 is claimed on another machine, by ben until 2026-03-10 12:00:00 UTC. Nothing was changed.",
			"issues-index release ISS-000041 --as ben ends that claim, on that machine",
		},
		{
			&edit.UnagreedClaimError{ID: "ISS-000041", Err: &claims.UnagreedError{Err: share.ErrAway}},
			"claims are agreed with the team here, and its engine cannot be reached. Nothing was changed.",
			"or pass --local: the claim then binds this machine's clone alone",
		},
		{
			&edit.UnagreedClaimError{ID: "ISS-000041", Err: &claims.UnagreedError{Err: share.ErrForbidden}},
			"its engine does not allow it with these credentials", "Nothing was changed",
		},
	} {
		e := ErrorOf(c.err)
		message, hint := e.Terminal()
		if said := message + "; " + hint; !strings.Contains(e.Error(), c.client) || !strings.Contains(said, c.person) {
			t.Errorf("%s; %s", e.Error(), said)
		}
	}
}
