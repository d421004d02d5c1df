package tools

import (
	"encoding/base64"
	"testing"
	"time"
)

// A state counts for the question that it was made for, in the process that made it, and for
// as long as a user may take.
func TestTheStateOfAQuestionIsSealed(t *testing.T) {
	s := newQuestionSeals()
	now := time.Unix(1_800_000_000, 0)
	s.now = func() time.Time { return now }
	call := make([]byte, 32)
	state := s.seal(call, "a.md v1")
	if !s.opens(state, call, "a.md v1") {
		t.Fatal("its own state does not count")
	}
	other := make([]byte, 32)
	other[31] = 1
	raw, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		forged := append([]byte(nil), raw...)
		forged[i] ^= 1
		changed := base64.RawURLEncoding.EncodeToString(forged)
		if _, made := s.claim(changed); made || s.opens(changed, call, "a.md v1") {
			t.Errorf("a state with another byte %d counts", i)
		}
	}
	for name, counts := range map[string]bool{
		"of another call":          s.opens(state, other, "a.md v1"),
		"of another version":       s.opens(state, call, "a.md v2"),
		"of another process":       newQuestionSeals().opens(state, call, "a.md v1"),
		"that is none":             s.opens("", call, "a.md v1"),
		"with something behind it": s.opens(state+"AAAA", call, "a.md v1"),
		"with blanks":              s.opens(" "+state, call, "a.md v1"),
	} {
		if counts {
			t.Errorf("a state %s counts", name)
		}
	}
	if _, made := s.claim(state); !made {
		t.Error("its own state is taken for a forged one")
	}
	now = now.Add(answerTime)
	if !s.opens(state, call, "a.md v1") {
		t.Error("a user who takes 10 minutes is too late")
	}
	now = now.Add(time.Second)
	if s.opens(state, call, "a.md v1") {
		t.Error("a user may take longer than 10 minutes")
	}
	if _, made := s.claim(state); !made {
		t.Error("a state that is too old is taken for a forged one, so that the user is not asked again")
	}
}
