package publish

import (
	"slices"
	"testing"

	"issues-index/index"
	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store/mirror"
)

func TestVerifyFindsWhatDiffers(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	s := newSiteIn(t, engine, nil, index.ModeVerify)
	s.write("ISS-000001.md", document("One"))
	s.write("ISS-000002.md", document("Two"))
	verified := func() BranchComparison {
		t.Helper()
		c, err := s.Verify(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if c := verified(); c.Branch != mirror.Main || c.Documents != 2 || len(c.Missing) != 3 || c.Same() {
		t.Errorf("nothing is published: %+v", c)
	}
	if _, err := s.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := verified(); !c.Same() {
		t.Errorf("all is published: %+v", c)
	}
	engine.Spoil(mirror.Branch{Workspace: "api", Name: mirror.Main}, issues+"ISS-000009.md")
	if c := verified(); !c.Same() || len(c.Unused) != 1 || c.Unused[0].Branch != "api" || c.Unused[0].Position == 0 {
		t.Errorf("a message that is no version: %+v", c)
	}
	s.write("ISS-000001.md", document("Another"))
	s.remove("ISS-000002.md")
	c := verified()
	if !slices.Equal(c.Changed, []string{issues + "ISS-000001.md"}) || !slices.Equal(c.Extra, []string{issues + "ISS-000002.md"}) || len(c.Missing) > 0 {
		t.Errorf("%+v", c)
	}
}

func TestRebuildPublishesEverythingAgain(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	s := newSiteIn(t, engine, nil, index.ModeVerify)
	s.write("ISS-000001.md", document("One"))
	s.write("ISS-000002.md", document("Two"))
	first, err := s.Once(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Somebody else has left something.
	stray := share.DocumentVersion{Branch: mirror.Branch{Workspace: "api", Name: mirror.Main}, Path: issues + "ISS-000009.md", Origin: share.Origin{Epoch: "other", Rev: 1}, Data: []byte("stray")}
	if acks := engine.Connect().Publish(t.Context(), []share.DocumentVersion{stray}); acks[0].Err != nil {
		t.Fatal(acks[0].Err)
	}
	s.wire.again = true
	done, err := s.Rebuild(t.Context())
	if err != nil || done.Published != 2 || done.Removed != 1 || done.Position <= first.Position {
		t.Errorf("%+v, %v", done, err)
	}
	s.wire.again = false
	if c, err := s.Verify(t.Context()); err != nil || !c.Same() {
		t.Errorf("%+v, %v", c, err)
	}
	if again, err := s.Once(t.Context()); err != nil || again.Published != 0 {
		t.Errorf("%+v, %v", again, err)
	}
}
