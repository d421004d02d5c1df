package publish

import (
	"crypto/rand"
	"encoding/base64"
	"slices"
	"testing"

	"issues-index/index"
	"issues-index/index/share"
	"issues-index/index/share/natstest"
	"issues-index/index/share/sharetest"
	messages "issues-index/index/share/wire"
	"issues-index/store/mirror"
)

// largeText is more than one message has, packed too.
func largeText() string {
	noise := make([]byte, 1_200_000)
	_, _ = rand.Read(noise) // never fails
	return document("Large") + base64.StdEncoding.EncodeToString(noise) + "\n"
}

// What the engine has lost of a large document is found when all is compared, and published again.
func TestADamagedLargeDocumentIsPublishedAgain(t *testing.T) {
	t.Run("with an engine in memory", func(t *testing.T) {
		engine := sharetest.NewEngine(nil)
		s := newSiteIn(t, engine, nil, index.ModeVerify)
		s.publishAgainWhatIsDamaged(t, engine.Connect(), func(line mirror.Line, path, _ string) { engine.Damage(line, path) })
	})
	t.Run("with a real one", func(t *testing.T) {
		cluster := natstest.Start(t, 1)
		s := newSiteOn(t, t.TempDir(), cluster.Connect(natstest.API), nil, index.ModeVerify)
		t.Cleanup(s.end)
		s.publishAgainWhatIsDamaged(t, cluster.Connect(natstest.Hub), func(line mirror.Line, _, text string) {
			cluster.Overwrite(natstest.API, messages.PieceSubject(line.Workspace, share.HashOf([]byte(text)), 1), []byte("x"))
		})
	})
}

func (s *site) publishAgainWhatIsDamaged(t *testing.T, hub share.Team, damage func(line mirror.Line, path, text string)) {
	t.Helper()
	line := mirror.Line{Workspace: "api", Name: mirror.Main}
	const large = issues + "ISS-000001.md"
	// arrives reports whether a new hub gets the large document.
	arrives := func() (whole bool) {
		t.Helper()
		for batch, err := range hub.Follow(t.Context(), 0, share.LineSelection{Lines: []string{mirror.Main}}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range batch {
				whole = whole || v.Path == large && string(v.Data) == s.files()[large]
			}
			if len(batch) == 0 {
				return whole
			}
		}
		return whole
	}
	s.write("ISS-000001.md", largeText())
	s.write("ISS-000002.md", document("Small"))
	s.must(s.publish())
	s.wire.published()
	if !arrives() {
		t.Fatal("what was published does not arrive")
	}
	damage(line, large, s.files()[large])
	if arrives() {
		t.Fatal("what is damaged arrives")
	}
	if c, err := s.Verify(t.Context()); err != nil || !slices.Equal(c.Changed, []string{large}) || len(c.Missing)+len(c.Extra) > 0 {
		t.Errorf("verified: %+v, %v", c, err)
	}
	s.wire.again = true
	s.duty.compareAgain()
	s.must(s.publish())
	if got := s.wire.published(); !slices.Equal(got, []string{"api ISS-000001.md"}) {
		t.Errorf("%q were published", got)
	}
	if !arrives() {
		t.Error("it does not arrive although it was published again")
	}
	s.duty.compareAgain()
	s.must(s.publish())
	if got := s.wire.published(); len(got) > 0 {
		t.Errorf("%q were published without need", got)
	}
	if c, err := s.Verify(t.Context()); err != nil || !c.Same() {
		t.Errorf("verified: %+v, %v", c, err)
	}
}
