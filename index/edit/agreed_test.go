package edit

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/team/share"
	"issues-index/store"
)

func TestClaimsAreAgreed(t *testing.T) {
	t.Run("what one clone has, no other one gets", func(t *testing.T) {
		b := newTeam(t, one, two)
		c, d := b.clone(0), b.clone(-90*time.Hour)
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
			c, d := b.clone(0), b.clone(0)
			c.mustClaim("anna", one)
			if err := end(c); err != nil {
				t.Fatal(err)
			}
			d.mustClaim("ben", one)
		})
	}
	// failing has ben claim a document of anna's while another program writes its file.
	failing := func(t *testing.T, c *cloneBench, version string) {
		t.Helper()
		c.engine.die = func(int) { put(t, c.root, issuePath(one), one, "in_progress\nassignee: anna") }
		_, err := c.Claim(t.Context(), DocumentRef{ID: one, IfVersion: version}, ClaimRequest{Holder: "ben"})
		if !errors.As(err, new(*store.VersionError)) {
			t.Fatalf("%v", err)
		}
	}
	t.Run("a claim that cannot be written leaves the team's lease where another of the clone keeps it", func(t *testing.T) {
		b := newTeam(t, one)
		c, d := b.clone(0), b.clone(0)
		c.mustClaim("anna", one)
		put(t, c.root, issuePath(one), one, "open")
		page, err := c.ix.Get(t.Context(), one)
		if err != nil {
			t.Fatal(err)
		}
		failing(t, c, page.Version)
		if _, err := d.claim("dora", one); refused(err) != ClaimHeld {
			t.Errorf("another clone: %v", err)
		}
	})
	t.Run("and gives it back where that has lapsed long ago", func(t *testing.T) {
		b := newTeam(t, one)
		c, d := b.clone(0), b.clone(0)
		version := c.mustClaim("anna", one).After.Version
		b.pass(5 * time.Hour)
		failing(t, c, version)
		d.mustClaim("dora", one)
	})
	t.Run("it is others' when the local lease would be", func(t *testing.T) {
		b := newTeam(t, one)
		c, d := b.clone(0), b.clone(0)
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
		c, d := b.clone(0), b.clone(0)
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
	t.Run("a sign of life does not undo a longer claim that was made while the team was asked", func(t *testing.T) {
		b := newTeam(t, one)
		c := b.clone(0)
		short := ClaimRequest{Holder: "anna", Length: 10 * time.Minute}
		if _, err := c.Claim(t.Context(), DocumentRef{ID: one}, short); err != nil {
			t.Fatal(err)
		}
		b.pass(5 * time.Minute)
		asked := false
		c.engine.die = func(int) {
			if asked {
				return
			}
			asked = true
			if _, err := c.Renew(t.Context(), DocumentRef{ID: one}, ClaimRequest{Holder: "anna", Length: 2 * time.Hour}, 0); err != nil {
				t.Error(err)
			}
		}
		retitled := func(*store.Document) (store.Fields, error) { return store.Fields{Title: new("Another")}, nil }
		if _, err := c.Update(As(t.Context(), "anna"), DocumentRef{ID: one}, retitled); err != nil || !asked {
			t.Fatal(err)
		}
		all, err := c.ix.Leases().All(t.Context())
		if err != nil || len(all) != 1 || all[0].Length != 2*time.Hour || !all[0].Expires.Equal(b.now.Add(2*time.Hour)) {
			t.Errorf("%+v, %v", all, err)
		}
	})
	t.Run("an abandoned claim is taken over here only if no other clone has", func(t *testing.T) {
		b := newTeam(t, one)
		c, d := b.clone(0), b.clone(0)
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
		c, d := b.clone(0), b.clone(0)
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
}

func TestClaimsWithoutTheEngine(t *testing.T) {
	t.Run("are refused, and what is held can be given back", func(t *testing.T) {
		b := newTeam(t, one, two)
		c, d := b.clone(0), b.clone(0)
		c.mustClaim("anna", one)
		c.machine.Cut()
		_, err := c.claim("anna", two)
		var unagreed *UnagreedClaimError
		if !errors.As(err, &unagreed) || !errors.Is(err, share.ErrAway) || !strings.Contains(c.read(t, issuePath(two)), "status: open") {
			t.Errorf("%v", err)
		}
		if _, err := c.Next(t.Context(), index.Filter{}, ClaimRequest{Holder: "ben"}); !errors.As(err, &unagreed) {
			t.Errorf("next: %v", err)
		}
		if _, err := c.Renew(t.Context(), DocumentRef{ID: one}, ClaimRequest{Holder: "anna"}, 0); !errors.As(err, &unagreed) {
			t.Errorf("renewed: %v", err)
		}
		done, err := c.Release(t.Context(), DocumentRef{ID: one}, "anna", 0, "")
		if err != nil || !strings.Contains(done.Note, "could not be told") {
			t.Errorf("released: %q, %v", done.Note, err)
		}
		c.machine.Mend()
		if _, err := d.claim("ben", one); refused(err) != ClaimHeld {
			t.Errorf("the team was told: %v", err)
		}
		if _, err := c.Release(t.Context(), DocumentRef{ID: one}, "anna", 0, ""); err != nil {
			t.Fatal(err)
		}
		d.mustClaim("ben", one)
	})
	t.Run("bind this clone alone where they are local, and a note says so", func(t *testing.T) {
		b := newTeam(t, one)
		c, d := b.clone(0), b.clone(0)
		c.machine.Cut()
		done, err := c.Claim(t.Context(), DocumentRef{ID: one}, ClaimRequest{Holder: "anna", Local: true})
		if err != nil || !done.Lease.Local || !strings.Contains(done.Note, "binds this clone alone") {
			t.Errorf("%+v, %v", done, err)
		}
		if _, err := c.claim("ben", one); refused(err) != ClaimHeld {
			t.Errorf("%v", err)
		}
		asked := c.engine.asked
		b.pass(2 * time.Hour)
		retitled := func(*store.Document) (store.Fields, error) { return store.Fields{Title: new("Another")}, nil }
		written, err := c.Update(As(t.Context(), "anna"), DocumentRef{ID: one}, retitled)
		if err != nil || written.Unrenewed != nil || c.engine.asked != asked {
			t.Errorf("a sign of life: %v, %v", written.Unrenewed, err)
		}
		d.mustClaim("cleo", one)
		c.machine.Mend()
		if _, err := c.Renew(t.Context(), DocumentRef{ID: one}, ClaimRequest{Holder: "anna"}, 0); refused(err) != ClaimHeld {
			t.Errorf("another clone has it: %v", err)
		}
		if _, err := d.Release(t.Context(), DocumentRef{ID: one}, "cleo", 0, ""); err != nil {
			t.Fatal(err)
		}
		again, err := c.Renew(t.Context(), DocumentRef{ID: one}, ClaimRequest{Holder: "anna"}, 0)
		if err != nil || again.Lease.Local || again.Note != "" {
			t.Errorf("agreed with the team: %+v, %v", again, err)
		}
		if _, err := d.claim("cleo", one); refused(err) != ClaimHeld {
			t.Errorf("%v", err)
		}
	})
	t.Run("a sign of life does not renew them, and says so once in a third of their time", func(t *testing.T) {
		b := newTeam(t, one)
		c, d := b.clone(0), b.clone(0)
		c.mustClaim("anna", one)
		c.machine.Cut()
		write := func() error {
			t.Helper()
			done, err := c.Create(As(t.Context(), "anna"), store.NewDocument{Type: "idea", Title: b.now.String()}, false)
			if err != nil {
				t.Fatal(err)
			}
			return done.Unrenewed
		}
		b.pass(2 * time.Hour)
		if err := write(); !errors.Is(err, share.ErrAway) {
			t.Errorf("%v", err)
		}
		b.pass(time.Minute)
		if err := write(); err != nil {
			t.Errorf("again: %v", err)
		}
		b.pass(3 * time.Hour)
		c.machine.Mend()
		d.mustClaim("ben", one)
		if err := write(); !errors.Is(err, share.ErrLost) {
			t.Errorf("after another clone has it: %v", err)
		}
		if _, err := c.Renew(t.Context(), DocumentRef{ID: one}, ClaimRequest{Holder: "anna"}, 0); refused(err) != ClaimHeld {
			t.Errorf("%v", err)
		}
	})
}

func TestNumbersAreAgreed(t *testing.T) {
	t.Run("no two clones give one out", func(t *testing.T) {
		b := newTeam(t, one)
		c, d := b.clone(0), b.clone(0)
		ids := []string{c.mustCreate("Rain").After.ID, d.mustCreate("Snow").After.ID, c.mustCreate("Hail").After.ID}
		if got := strings.Join(ids, " "); got != "ISS-000002 ISS-000003 ISS-000004" {
			t.Error(got)
		}
	})
	t.Run("the children of a document have their own", func(t *testing.T) {
		b := newTeam(t, "TASK-2")
		b.layout = "idPattern: TASK-{n}[.{n}]\n"
		c, d := b.clone(0), b.clone(0)
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
	t.Run("without the engine the next one of the clone is used, with a note", func(t *testing.T) {
		b := newTeam(t, one)
		c := b.clone(0)
		c.machine.Cut()
		if done := c.mustCreate("Rain"); done.After.ID != two || !strings.Contains(done.Note, "not agreed with the team: its engine cannot be reached") {
			t.Errorf("%s, %q", done.After.ID, done.Note)
		}
		c.machine.Mend()
		if done := c.mustCreate("Snow"); done.After.ID != three || done.Note != "" {
			t.Errorf("%s, %q", done.After.ID, done.Note)
		}
	})
	t.Run("hashes need no agreement", func(t *testing.T) {
		b := newTeam(t)
		b.layout = "idScheme: hash\n"
		c := b.clone(0)
		if c.mustCreate("Rain"); c.engine.asked != 0 {
			t.Errorf("asked %d times", c.engine.asked)
		}
	})
}
