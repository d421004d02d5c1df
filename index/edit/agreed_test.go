package edit

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/agree"
	"issues-index/index/share"
	"issues-index/store"
)

func TestClaimsAreAgreed(t *testing.T) {
	t.Run("what one clone has, no other one gets", func(t *testing.T) {
		b := newTeam(t, one, two)
		c, d := b.clone(agree.Auto, 0), b.clone(agree.Auto, -90*time.Hour)
		c.mustClaim("anna", one)
		_, err := d.claim("ben", one)
		var held *ClaimError
		if !errors.As(err, &held) || held.Reason != ClaimHeld || held.Holder != "anna" || !held.Elsewhere || !held.Until.Equal(b.now.Add(5*time.Hour)) {
			t.Errorf("%+v", err)
		}
		if text := d.read(t, issuePath(one)); !strings.Contains(text, "status: open") {
			t.Errorf("it was changed: %s", text)
		}
		next, err := d.Next(t.Context(), index.Filter{}, ClaimRequest{Holder: "ben"})
		if err != nil || !next.Found || next.After.ID != two || next.Note != "" {
			t.Errorf("next gives %+v, %v", next, err)
		}
	})
	for name, end := range map[string]func(c *cloneBench) error{
		"released": func(c *cloneBench) error {
			_, err := c.Release(t.Context(), DocumentRef{ID: one}, "anna", 0, "")
			return err
		},
		"completed": func(c *cloneBench) error { _, err := c.Complete(t.Context(), DocumentRef{ID: one}, ""); return err },
		"deleted":   func(c *cloneBench) error { _, err := c.Delete(t.Context(), DocumentRef{ID: one}); return err },
	} {
		t.Run("what was "+name+" is free for the others", func(t *testing.T) {
			b := newTeam(t, one)
			c, d := b.clone(agree.Auto, 0), b.clone(agree.Auto, 0)
			c.mustClaim("anna", one)
			if err := end(c); err != nil {
				t.Fatal(err)
			}
			d.mustClaim("ben", one)
		})
	}
	t.Run("it is others' when the local lease would be", func(t *testing.T) {
		b := newTeam(t, one)
		c, d := b.clone(agree.Auto, 0), b.clone(agree.Auto, 0)
		c.mustClaim("anna", one)
		b.pass(5*time.Hour - time.Millisecond)
		if _, err := d.claim("ben", one); refused(err) != ClaimHeld {
			t.Errorf("within the grace: %v", err)
		}
		b.pass(time.Millisecond)
		d.mustClaim("ben", one)
	})
	t.Run("a sign of life renews it, no more often than the local lease", func(t *testing.T) {
		b := newTeam(t, one)
		c, d := b.clone(agree.Auto, 0), b.clone(agree.Auto, 0)
		c.mustClaim("anna", one)
		asked := c.engine.asked
		for range 12 {
			b.pass(time.Hour)
			if _, err := c.Create(As(t.Context(), "anna"), store.NewDocument{Type: "idea", Title: b.now.String()}, false); err != nil {
				t.Fatal(err)
			}
		}
		if renewed := c.engine.asked - asked - 12; renewed != 6 { // each number is a question, too
			t.Errorf("%d renewals in 12 hours", renewed)
		}
		if _, err := d.claim("ben", one); refused(err) != ClaimHeld {
			t.Errorf("%v", err)
		}
	})
	t.Run("an abandoned claim is taken over here only if no other clone has", func(t *testing.T) {
		b := newTeam(t, one)
		c, d := b.clone(agree.Auto, 0), b.clone(agree.Auto, 0)
		c.mustClaim("anna", one)
		b.pass(10 * time.Hour)
		d.mustClaim("ben", one)
		if next, err := c.Next(t.Context(), index.Filter{}, ClaimRequest{Holder: "cleo"}); err != nil || next.Found {
			t.Errorf("next gives %+v, %v", next, err)
		}
		b.pass(10 * time.Hour)
		next, err := c.Next(t.Context(), index.Filter{}, ClaimRequest{Holder: "cleo"})
		if err != nil || !next.Found || next.Former != "anna" {
			t.Errorf("next gives %+v, %v", next, err)
		}
		if _, err := d.Renew(t.Context(), DocumentRef{ID: one}, ClaimRequest{Holder: "ben"}, 0); refused(err) != ClaimHeld {
			t.Errorf("ben renews: %v", err)
		}
	})
	t.Run("who is killed before the file is written leaves the document to the clone", func(t *testing.T) {
		b := newTeam(t, one)
		c, d := b.clone(agree.Auto, 0), b.clone(agree.Auto, 0)
		c.engine.die = func(asked int) {
			if asked == 3 { // after the first question
				runtime.Goexit()
			}
		}
		done := make(chan bool)
		go func() {
			defer close(done)
			_, _ = c.claim("anna", one)
			t.Error("anna was not killed")
		}()
		<-done
		if _, err := d.claim("ben", one); refused(err) != ClaimHeld {
			t.Errorf("ben gets it: %v", err)
		}
		c.mustClaim("cleo", one)
		if _, err := c.Release(t.Context(), DocumentRef{ID: one}, "cleo", 0, ""); err != nil {
			t.Fatal(err)
		}
		d.mustClaim("ben", one)
	})
	t.Run("what nobody claims again is given back at the next start", func(t *testing.T) {
		b := newTeam(t, one)
		c, d := b.clone(agree.Auto, 0), b.clone(agree.Auto, 0)
		if err := c.ix.Agreement().Take(t.Context(), one, "anna", time.Hour); err != nil {
			t.Fatal(err)
		}
		c.mustAgree()
		d.mustClaim("ben", one)
	})
}

func TestClaimsWithoutTheEngine(t *testing.T) {
	t.Run("the local rules hold, and a note says so", func(t *testing.T) {
		b := newTeam(t, one)
		c := b.clone(agree.Auto, 0)
		c.machine.Cut()
		if done := c.mustClaim("anna", one); !strings.Contains(done.Note, "not agreed with the team: its engine cannot be reached") {
			t.Errorf("%q", done.Note)
		}
		if _, err := c.claim("ben", one); refused(err) != ClaimHeld {
			t.Errorf("%v", err)
		}
	})
	t.Run("where they have to be agreed they are refused", func(t *testing.T) {
		b := newTeam(t, one, two)
		c := b.clone(agree.Cluster, 0)
		c.mustClaim("anna", one)
		c.machine.Cut()
		_, err := c.claim("anna", two)
		var unagreed *UnagreedClaimError
		if !errors.As(err, &unagreed) || !errors.Is(err, share.ErrAway) || !strings.Contains(c.read(t, issuePath(two)), "status: open") {
			t.Errorf("%v", err)
		}
		if _, err := c.Renew(t.Context(), DocumentRef{ID: one}, ClaimRequest{Holder: "anna"}, 0); !errors.As(err, &unagreed) {
			t.Errorf("renewed: %v", err)
		}
		if _, err := c.Release(t.Context(), DocumentRef{ID: one}, "anna", 0, ""); err != nil {
			t.Errorf("released: %v", err)
		}
		c.machine.Mend()
		c.mustAgree()
		b.clone(agree.Cluster, 0).mustClaim("ben", one)
	})
	t.Run("a team that is switched off is never asked", func(t *testing.T) {
		b := newTeam(t, one)
		c := b.clone(agree.Off, 0)
		c.mustClaim("anna", one)
		c.mustCreate("Rain")
		if c.engine.asked != 0 || c.ix.Agreement() != nil {
			t.Errorf("asked %d times", c.engine.asked)
		}
	})
	t.Run("afterwards a claim that nobody else has is agreed", func(t *testing.T) {
		b := newTeam(t, one)
		c, d := b.clone(agree.Auto, 0), b.clone(agree.Auto, 0)
		c.machine.Cut()
		c.mustClaim("anna", one)
		c.machine.Mend()
		c.mustCreate("Rain") // any change agrees on what is left
		if _, err := d.claim("ben", one); refused(err) != ClaimHeld {
			t.Errorf("%v", err)
		}
	})
	t.Run("one that another clone has is lost, and both are named", func(t *testing.T) {
		b := newTeam(t, one)
		c, d := b.clone(agree.Auto, 0), b.clone(agree.Auto, 0)
		c.machine.Cut()
		first := c.mustClaim("anna", one)
		d.mustClaim("ben", one)
		c.machine.Mend()
		done, err := c.Update(As(t.Context(), "anna"), DocumentRef{ID: one}, func(*store.Document) (store.Fields, error) {
			title := "Another"
			return store.Fields{Title: &title}, nil
		})
		if err != nil || done.Claim == nil || done.Claim.Holder != "ben" {
			t.Errorf("an update says %+v, %v", done.Claim, err)
		}
		lost, err := c.ix.Agreement().LostClaims(t.Context())
		if err != nil || len(lost) != 1 || lost[0].ID != one || lost[0].Holder != "anna" || lost[0].Other != "ben" {
			t.Errorf("lost are %+v, %v", lost, err)
		}
		told, err := c.ix.Leases().Lost(t.Context(), "anna", true)
		if err != nil || len(told.Ended) != 1 || told.Ended[0].EndedBy != "ben" {
			t.Errorf("anna is told %+v, %v", told, err)
		}
		if _, err := c.Renew(t.Context(), DocumentRef{ID: one}, ClaimRequest{Holder: "anna"}, first.Lease.Fence); refused(err) == "" {
			t.Errorf("anna renews: %v", err)
		}
		if _, err := c.Release(t.Context(), DocumentRef{ID: one}, "anna", 0, ""); err != nil {
			t.Fatal(err)
		}
		c.mustAgree()
		if lost, err := c.ix.Agreement().LostClaims(t.Context()); err != nil || len(lost) != 0 {
			t.Errorf("after anna gave it back lost are %+v, %v", lost, err)
		}
	})
}

func TestNumbersAreAgreed(t *testing.T) {
	t.Run("no two clones give one out", func(t *testing.T) {
		b := newTeam(t, one)
		c, d := b.clone(agree.Auto, 0), b.clone(agree.Auto, 0)
		ids := []string{c.mustCreate("Rain").After.ID, d.mustCreate("Snow").After.ID, c.mustCreate("Hail").After.ID}
		if got := strings.Join(ids, " "); got != "ISS-000002 ISS-000003 ISS-000004" {
			t.Error(got)
		}
	})
	t.Run("the children of a document have their own", func(t *testing.T) {
		b := newTeam(t, "TASK-2")
		b.layout = "idPattern: TASK-{n}[.{n}]\n"
		c, d := b.clone(agree.Auto, 0), b.clone(agree.Auto, 0)
		var ids []string
		for i, clone := range []*cloneBench{c, d, c} {
			done, err := clone.Create(t.Context(), store.NewDocument{Title: strings.Repeat("Rain", i+1), Parent: "TASK-2"}, false)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, done.After.ID)
		}
		ids = append(ids, d.mustCreate("Snow").After.ID)
		if got := strings.Join(ids, " "); got != "TASK-2.1 TASK-2.2 TASK-2.3 TASK-3" {
			t.Error(got)
		}
	})
	t.Run("hashes need no agreement", func(t *testing.T) {
		b := newTeam(t)
		b.layout = "idScheme: hash\n"
		c := b.clone(agree.Auto, 0)
		if c.mustCreate("Rain"); c.engine.asked != 0 {
			t.Errorf("asked %d times", c.engine.asked)
		}
	})
	t.Run("without the engine the local one is used, with a note, and agreed later", func(t *testing.T) {
		b := newTeam(t, one)
		c, d := b.clone(agree.Cluster, 0), b.clone(agree.Auto, 0)
		c.machine.Cut()
		if done := c.mustCreate("Rain"); done.After.ID != two || !strings.Contains(done.Note, "not agreed with the team") {
			t.Errorf("%s, %q", done.After.ID, done.Note)
		}
		c.mustCreate("Sleet")
		c.machine.Mend()
		c.mustAgree()
		if id := d.mustCreate("Snow").After.ID; id != "ISS-000004" {
			t.Errorf("the other clone gets %s", id)
		}
		if conflicts, err := c.ix.Agreement().NumberConflicts(t.Context()); err != nil || len(conflicts) != 0 {
			t.Errorf("%+v, %v", conflicts, err)
		}
	})
	t.Run("one that another clone has published is named until it is another's no more", func(t *testing.T) {
		b := newTeam(t, one)
		c, d := b.clone(agree.Auto, 0), b.clone(agree.Auto, 0)
		c.machine.Cut()
		rain := c.mustCreate("Rain")
		snow := d.mustCreate("Snow")
		c.machine.Mend()
		if id := c.mustCreate("Hail").After.ID; id != "ISS-000004" {
			t.Errorf("the next one is %s", id)
		}
		d.publish("main")
		c.mustAgree()
		conflicts, err := c.ix.Agreement().NumberConflicts(t.Context())
		if err != nil || len(conflicts) != 1 || conflicts[0] != (agree.NumberConflict{Path: rain.Path, Line: "api", Other: snow.Path}) {
			t.Errorf("%+v, %v", conflicts, err)
		}
		if _, err := c.Delete(t.Context(), DocumentRef{ID: rain.After.ID}); err != nil {
			t.Fatal(err)
		}
		c.mustAgree()
		if conflicts, err := c.ix.Agreement().NumberConflicts(t.Context()); err != nil || len(conflicts) != 0 {
			t.Errorf("%+v, %v", conflicts, err)
		}
	})
	t.Run("a document that came to another line by git is no conflict", func(t *testing.T) {
		b := newTeam(t, one)
		c, d := b.clone(agree.Auto, 0), b.clone(agree.Auto, 0)
		c.machine.Cut()
		rain := c.mustCreate("Rain")
		d.mustCreate("Snow") // the counter is past it
		c.machine.Mend()
		if _, err := c.Complete(t.Context(), DocumentRef{ID: rain.After.ID}, ""); err != nil { // which moves it
			t.Fatal(err)
		}
		v := share.DocumentVersion{Path: rain.Path, Origin: share.Origin{Epoch: "d", Rev: 1}}
		v.Line.Workspace, v.Line.Name = "api", "main"
		if ack := d.machine.Publish(t.Context(), []share.DocumentVersion{v})[0]; ack.Err != nil {
			t.Fatal(ack.Err)
		}
		c.mustAgree()
		if conflicts, err := c.ix.Agreement().NumberConflicts(t.Context()); err != nil || len(conflicts) != 0 {
			t.Errorf("%+v, %v", conflicts, err)
		}
	})
}
