package auth

import (
	"context"
	"errors"
	"os"
	"runtime"
	"testing"
	"time"
)

func begin(t *testing.T, f *fenced, token string) context.Context {
	t.Helper()
	s, err := f.verify(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := f.running.begin(t.Context(), s)
	t.Cleanup(end)
	return ctx
}

func TestAnAnswerThatLastsEndsWithItsCredential(t *testing.T) {
	f := fence(t, nil)
	token := func(name string, expires time.Time) string {
		return mustNew(t, f.tokens, TokenEntry{Name: name, Scopes: []Scope{Read}, Expires: expires})
	}
	revoked, expiring, other := begin(t, f, token("ann", time.Time{})), begin(t, f, token("bob", f.clock.Add(time.Hour))), begin(t, f, token("cid", time.Time{}))
	issued, end := f.running.begin(t.Context(), &Principal{Name: "issuer/ann", Expires: f.clock.Add(2 * time.Hour)})
	defer end()
	ended := func(want ...context.Context) {
		t.Helper()
		f.running.look()
		for i, ctx := range []context.Context{revoked, expiring, other, issued} {
			is := ctx.Err() != nil
			wants := false
			for _, w := range want {
				wants = wants || w == ctx
			}
			if is != wants {
				t.Errorf("request %d has ended: %v", i, is)
			}
		}
	}
	ended()
	if _, err := f.tokens.Revoke("ann"); err != nil {
		t.Fatal(err)
	}
	ended(revoked)
	token("ann", time.Time{}) // which is another one
	ended(revoked)
	*f.clock = f.clock.Add(time.Hour)
	ended(revoked, expiring)
	*f.clock = f.clock.Add(time.Hour)
	ended(revoked, expiring, issued)
}

// A token is revoked by what the file says, not by its being unreadable for a moment: a call that
// writes would end in the middle.
func TestAnUnreadableTokenFileEndsNoCallAtOnce(t *testing.T) {
	for why, spoil := range map[string]func(path string) error{
		"half a file": func(path string) error { return os.WriteFile(path, []byte(`{"tokens": [`), 0o600) },
		"no file":     os.Remove,
		"a folder":    func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		t.Run(why, func(t *testing.T) {
			f := fence(t, nil)
			token := mustNew(t, f.tokens, TokenEntry{Name: "ann", Scopes: []Scope{Read}})
			if w := f.ask("GET", "/", bearer(token)); w.Code != 200 {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			f.closed = true // as a server that began with the file is
			running := begin(t, f, token)
			outlives := func(otherwise string) { // all looks but the last
				t.Helper()
				for range unreadChecks - 1 {
					f.running.look()
				}
				if running.Err() != nil {
					t.Error(otherwise)
				}
			}
			good, err := os.ReadFile(f.tokens.Path)
			if err != nil {
				t.Fatal(err)
			}
			if err := spoil(f.tokens.Path); err != nil {
				t.Fatal(err)
			}
			outlives("the call ended")
			if w := f.ask("GET", "/", bearer(token)); w.Code != 503 && w.Code != 401 {
				t.Errorf("somebody is let in: %d %s", w.Code, w.Body)
			}
			if err := os.RemoveAll(f.tokens.Path); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(f.tokens.Path, good, 0o600); err != nil {
				t.Fatal(err)
			}
			f.running.look() // counts anew from here
			if err := os.Remove(f.tokens.Path); err != nil {
				t.Fatal(err)
			}
			outlives("the call ended, although the file could be read meanwhile")
			if f.running.look(); running.Err() == nil {
				t.Error("an answer outlives its token file for ever")
			}
		})
	}
}

func TestRunningRequestsAreRecheckedTogether(t *testing.T) {
	f := fence(t, nil)
	token := mustNew(t, f.tokens, TokenEntry{Name: "ann", Scopes: []Scope{Read}})
	begin(t, f, token)
	before := runtime.NumGoroutine()
	for range 100 {
		begin(t, f, token)
	}
	if grown := runtime.NumGoroutine() - before; grown >= 50 {
		t.Errorf("100 requests have %d goroutines of their own", grown)
	}
	if len(f.running.all) != 101 {
		t.Errorf("%d are running", len(f.running.all))
	}
}
