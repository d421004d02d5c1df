package nats_test

import (
	"bytes"
	"errors"
	"testing"

	natsgo "github.com/nats-io/nats.go"

	"issues-index/index/share"
	"issues-index/index/share/natstest"
	"issues-index/index/share/wire"
	"issues-index/store/mirror"
)

// The owner of a large document finds out that a piece of it is another one, whoever has stored
// that, and publishes the document again. Until then a hub that has not got it refuses it.
func TestAnOverwrittenPieceOfALargeDocumentIsFound(t *testing.T) {
	s := newStranger(t)
	owner := s.cluster.Connect(natstest.API)
	first := largeVersion(t, "large.md", 10, 0)
	small, err := s.admin.GetLastMsg("DOCS", s.ownDoc)
	if err != nil {
		t.Fatal(err)
	}
	if ack := owner.Publish(t.Context(), []share.DocumentVersion{first})[0]; ack.Err != nil {
		t.Fatal(ack.Err)
	}
	piece := func(n int) string { return wire.PieceSubject("api", share.HashOf(first.Data), n) }
	was, err := s.admin.GetLastMsg("BLOBS", piece(1))
	if err != nil {
		t.Fatal(err)
	}
	heads := func() (all []share.Head) {
		t.Helper()
		for h, err := range owner.Heads(t.Context(), share.LineSelection{Workspaces: []string{"api"}}) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, h)
		}
		return all
	}
	damaged := func() []share.Head {
		t.Helper()
		found, err := owner.Damaged(t.Context(), heads())
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	// arrives reports whether a new hub gets the document.
	arrives := func() bool {
		t.Helper()
		refused := false
		of := share.LineSelection{Workspaces: []string{"api"}, Refused: func(e *share.MessageError) { refused = refused || e.Path == first.Path }}
		for batch, err := range s.hub.Follow(t.Context(), small.Sequence, of) {
			if err != nil {
				t.Fatal(err)
			}
			if refused {
				return false
			}
			for _, v := range batch {
				if v.Path == first.Path && bytes.Equal(v.Data, first.Data) {
					return true
				}
			}
		}
		return false
	}
	if found := damaged(); len(found) > 0 || !arrives() {
		t.Fatalf("as it was published: %+v", found)
	}

	for name, overwrite := range map[string]func(){
		"with the owner's key, by as many bytes": func() { s.cluster.Overwrite(natstest.API, piece(1), bytes.Repeat([]byte("x"), len(was.Data))) },
		"by nothing":                             func() { s.cluster.Overwrite(natstest.API, piece(2), nil) },
		"by another piece":                       func() { s.cluster.Overwrite(natstest.API, piece(0), was.Data) },
		"by a server, for a stranger": func() {
			stranger := s.dial(natstest.Web)
			s.cluster.Overwrite(natstest.Web, "docs.web.main.careless", []byte("x"))
			if err := stranger.PublishMsg(&natsgo.Msg{Subject: "$JS.API.DIRECT.GET.DOCS.docs.web.main.careless", Reply: piece(1)}); err != nil {
				t.Fatal(err)
			}
			until(t, "the answer of the server", func() bool {
				m, err := s.admin.GetLastMsg("BLOBS", piece(1))
				return err == nil && m.Header.Get("Nats-Stream") == "DOCS"
			})
		},
		"and gone": func() {
			if err := s.admin.PurgeStream("BLOBS", &natsgo.StreamPurgeRequest{Subject: piece(2)}); err != nil {
				t.Fatal(err)
			}
		},
		"and all gone": func() {
			if err := s.admin.PurgeStream("BLOBS"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		overwrite()
		found := damaged()
		if len(found) != 1 || found[0].Path != first.Path || arrives() {
			t.Errorf("overwritten %s: %+v", name, found)
			continue
		}
		again := first
		again.Origin.Rev, again.Replaces = found[0].Position+100, found[0].Position
		if ack := owner.Publish(t.Context(), []share.DocumentVersion{again})[0]; ack.Err != nil {
			t.Fatal(ack.Err)
		}
		if found := damaged(); len(found) > 0 || !arrives() {
			t.Errorf("overwritten %s and published again: %+v", name, found)
		}
	}

	t.Run("but one that was stored again as it was is sound", func(t *testing.T) {
		s.cluster.Overwrite(natstest.API, piece(1), was.Data)
		if found := damaged(); len(found) > 0 {
			t.Errorf("%+v", found)
		}
		other := first
		other.Line = mirror.Line{Workspace: "api", Name: "mac-7k2q"}
		if ack := s.cluster.Connect(natstest.API).Publish(t.Context(), []share.DocumentVersion{other})[0]; ack.Err != nil {
			t.Fatal(ack.Err)
		}
		if found := damaged(); len(found) > 0 {
			t.Errorf("another line has the same document: %+v", found)
		}
		s.cluster.Overwrite(natstest.API, piece(1), []byte("x"))
		if found := damaged(); len(found) != 2 {
			t.Errorf("a piece of both was overwritten: %+v", found)
		}
	})
	t.Run("nor is anything said while the cluster is away", func(t *testing.T) {
		all := heads()
		if err := owner.Close(); err != nil {
			t.Fatal(err)
		}
		if found, err := owner.Damaged(t.Context(), all); !errors.Is(err, share.ErrAway) || len(found) > 0 {
			t.Errorf("%+v %v", found, err)
		}
	})
}
