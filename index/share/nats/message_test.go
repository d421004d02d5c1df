package nats

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"issues-index/index/share"
	"issues-index/store/mirror"
)

// What parse accepts is what envelope writes: nothing else passes for a version.
func FuzzParse(f *testing.F) {
	v := share.DocumentVersion{Line: mirror.Line{Workspace: "api", Name: "main"}, Path: ".wrangler/issues/ä b%.md", Origin: share.Origin{Epoch: "e", Rev: 3}, Fence: 4, Commit: "ab"}
	m := envelope(v)
	f.Add(m.Subject, m.Header.Get("Nats-Msg-Id"), m.Header.Get(headerDocument), "4", "ab", "", "")
	f.Add(m.Subject, m.Header.Get("Nats-Msg-Id"), m.Header.Get(headerDocument), "", "", "1", "")
	f.Add("docs.api.main.x", "api/main//1", "1  ", "x", "X", "1", "65")
	f.Fuzz(func(t *testing.T, subject, id, document, fence, commit, gone, blob string) {
		h := nats.Header{}
		for name, value := range map[string]string{"Nats-Msg-Id": id, headerDocument: document, headerFence: fence, headerCommit: commit, headerGone: gone, headerBlob: blob} {
			if value != "" {
				h.Set(name, value)
			}
		}
		s, err := parse(subject, h, 9)
		if err != nil {
			wrong := new(share.MessageError)
			if !errors.As(err, &wrong) || wrong.Position != 9 {
				t.Fatalf("%v", err)
			}
			return
		}
		if strings.Contains("/"+s.Path+"/", "/../") || s.Position != 9 {
			t.Fatalf("%+v", s)
		}
		again, err := parse(envelope(s.DocumentVersion).Subject, envelope(s.DocumentVersion).Header, 9)
		s.pieces = 0
		if err != nil || again.head() != s.head() || again.Commit != s.Commit {
			t.Fatalf("%+v is written and read as %+v: %v", s, again, err)
		}
	})
}

func TestABodyIsUnpackedOnlyAsFarAsADocumentMayBeLarge(t *testing.T) {
	var p packer
	bomb, err := p.pack(make([]byte, share.MaxDocument+1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.unpack(bomb); err == nil {
		t.Errorf("%d bytes were unpacked to more than a document may have", len(bomb))
	}
	full, err := p.pack(make([]byte, share.MaxDocument))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := p.unpack(full); err != nil || len(data) != share.MaxDocument {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

func TestABodyOfAnotherHashIsRefused(t *testing.T) {
	var p packer
	v := share.DocumentVersion{Line: mirror.Line{Workspace: "api", Name: "main"}, Path: "a.md", Origin: share.Origin{Epoch: "e", Rev: 1}, Data: []byte("text")}
	v.Hash = share.HashOf(v.Data)
	m := envelope(v)
	s, err := parse(m.Subject, m.Header, 1)
	if err != nil {
		t.Fatal(err)
	}
	right, err := p.pack(v.Data)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.version(&p, right); err != nil || !bytes.Equal(got.Data, v.Data) {
		t.Errorf("%+v %v", got, err)
	}
	other, err := p.pack([]byte("other"))
	if err != nil {
		t.Fatal(err)
	}
	wrong := new(share.MessageError)
	for _, body := range [][]byte{other, []byte("no zstd"), nil} {
		if _, err := s.version(&p, body); !errors.As(err, &wrong) {
			t.Errorf("%q: %v", body, err)
		}
	}
}

func TestAnyTextIsOnePartOfASubject(t *testing.T) {
	for text, want := range map[string]string{"iss-41": "iss-41", "a.b c*>": "a=2eb=20c=2a=3e", "ß": "=c3=9f", "=": "=3d"} {
		if got := token(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func TestVersionsOfServersAreCompared(t *testing.T) {
	for version, older := range map[string]bool{"2.15.2": false, "2.15.10": false, "2.16.0": false, "3.0.0": false, "2.15.1": true, "2.9.9": true, "": true, "2.15.2-RC.1": false} {
		if olderThan(version, oldestServer) != older {
			t.Errorf("%q", version)
		}
	}
}
