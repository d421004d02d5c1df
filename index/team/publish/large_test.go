package publish

import (
	"crypto/rand"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
	"issues-index/store/storetest"
)

// A document that does not fit into one message is named, with what to do, and keeps no other one
// back, not even that which was published of it before.
func TestADocumentThatIsTooLargeKeepsNoOtherBack(t *testing.T) {
	for name, site := range storetest.Few(map[string]func(t *testing.T) *site{
		"with an engine in memory": func(t *testing.T) *site {
			return newSiteIn(t, sharetest.NewEngine(nil), nil, index.ModeVerify)
		},
		"with a real one": func(t *testing.T) *site {
			s := newSiteOn(t, t.TempDir(), natstest.Start(t, 1).Connect(natstest.API), nil, index.ModeVerify)
			t.Cleanup(s.end)
			return s
		},
	}, 1) {
		t.Run(name, func(t *testing.T) { site(t).publishWithALargeDocument(t) })
	}
}

func (s *site) publishWithALargeDocument(t *testing.T) {
	t.Helper()
	noise := make([]byte, share.MaxPacked*5/4) // written in six bits a byte, and packed into as many again
	_, _ = rand.Read(noise)                    // never fails
	large := document("Large") + base64.StdEncoding.EncodeToString(noise) + "\n"
	s.write("ISS-000001.md", document("Small as yet"))
	s.must(s.publish())
	s.wire.published()
	s.write("ISS-000001.md", large)
	s.write("ISS-000002.md", large)
	s.write("ISS-000003.md", document("Small"))
	s.must(s.publish())
	if got := s.wire.published(); !slices.Equal(got, []string{"api ISS-000003.md"}) {
		t.Errorf("%q were published", got)
	}
	status := s.Status()
	if len(status.Problems) != 2 || status.LastError != "" || status.Refused {
		t.Fatalf("%+v", status)
	}
	for _, problem := range status.Problems {
		if problem.Conflict || !strings.Contains(problem.Reason, "split the document") {
			t.Errorf("%+v", problem)
		}
	}
	c, err := s.Verify(t.Context())
	if err != nil || !slices.Equal(c.Changed, []string{issues + "ISS-000001.md"}) || !slices.Equal(c.Missing, []string{issues + "ISS-000002.md"}) {
		t.Errorf("verified: %+v, %v", c, err)
	}
	s.write("ISS-000001.md", document("Small again"))
	s.loop.reconcileAt = farPast
	s.must(s.publish())
	if got, problems := s.wire.published(), s.Status().Problems; !slices.Equal(got, []string{"api ISS-000001.md"}) || len(problems) != 1 {
		t.Errorf("%q were published, problems %+v", got, problems)
	}
}
