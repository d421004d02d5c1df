package nats_test

import (
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"issues-index/index/share"
	"issues-index/index/share/natstest"
	"issues-index/index/share/wire"
)

// What a workspace has is none of them: documents, leases, the end of one, and signs of life.
func TestStraysAreNamed(t *testing.T) {
	s := newStranger(t)
	own := s.cluster.Connect(natstest.API)
	lease, err := own.Take(t.Context(), share.TeamLease{Workspace: "api", Key: "iss-1", Nonce: "n", Holder: "api"}, time.Hour)
	if ack := own.Publish(t.Context(), []share.DocumentVersion{version("one.md", 2, "text")})[0]; err != nil || ack.Err != nil {
		t.Fatal(err, ack.Err)
	}
	if err := own.Release(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	if err := own.Announce(t.Context(), share.Presence{Line: api, Machine: "api"}); err != nil {
		t.Fatal(err)
	}
	strays := func(team share.Team, workspace string) (named []string) {
		t.Helper()
		found, err := team.Strays(t.Context(), workspace)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range found {
			named = append(named, e.Error())
		}
		return named
	}
	if found := strays(own, "api"); len(found) != 0 {
		t.Fatalf("%q", found)
	}
	junk := []string{
		"docs.api.main.aaaaaaaaaaaaaaaa", "docs.api.NO=name.x", "$KV.claims.api.iss-1", "$KV.claims.api.junk", "$KV.presence.api.main",
	}
	for _, subject := range junk {
		s.cluster.Overwrite(natstest.API, subject, []byte("junk"))
	}
	other := version("other.md", 3, "text")
	s.cluster.Send(natstest.API, &natsgo.Msg{Subject: wire.DocumentSubject(api, other.Path), Header: wire.StoredVersion{DocumentVersion: other}.Header(), Data: []byte("junk")})
	if found := strays(own, "api"); len(found) != len(junk)+1 {
		t.Errorf("%d are named, want %d: %q", len(found), len(junk)+1, found)
	}
	if found := strays(s.owner, "web"); len(found) != 0 {
		t.Errorf("of another workspace: %q", found)
	}
}
