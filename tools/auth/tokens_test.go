package auth

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// tokens returns a file of tokens whose clock a test sets.
func tokens(t *testing.T) (f *TokenFile, clock *time.Time) {
	t.Helper()
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	return &TokenFile{Path: filepath.Join(t.TempDir(), "config", "tokens.json"), Now: func() time.Time { return now }}, &now
}

func mustNew(t *testing.T, f *TokenFile, token TokenEntry) string {
	t.Helper()
	made, err := f.New(token)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestATokenStandsForItsSubject(t *testing.T) {
	f, _ := tokens(t)
	token := mustNew(t, f, TokenEntry{Name: "ann", Scopes: []Scope{Write}, Workspaces: []string{"web"}})
	s, err := f.Verify(token)
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "ann" || !s.May(Read) || !s.May(Write) || s.May(Delete) || !slices.Equal(s.Only(), []string{"web"}) {
		t.Errorf("%+v", s)
	}
}

func TestOnlyDigestsAreKept(t *testing.T) {
	f, _ := tokens(t)
	token := mustNew(t, f, TokenEntry{Name: "ann", Scopes: []Scope{Read}})
	data, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), strings.TrimPrefix(token, tokenPrefix)) {
		t.Errorf("the token is in the file: %s", data)
	}
	left, err := os.ReadDir(filepath.Dir(f.Path))
	if err != nil || len(left) != 2 {
		t.Errorf("beside the file and its lock is something else: %v, %v", left, err)
	}
}

func TestNobodyElseReadsTheFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps rights in another way")
	}
	f, _ := tokens(t)
	token := mustNew(t, f, TokenEntry{Name: "ann", Scopes: []Scope{Read}})
	info, err := os.Stat(f.Path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	for _, mode := range []os.FileMode{0o604, 0o640, 0o620, 0o602} {
		if err := os.Chmod(f.Path, mode); err != nil {
			t.Fatal(err)
		}
		if s, err := f.Verify(token); !errors.Is(err, ErrExposed) {
			t.Errorf("with the mode %o: %+v, %v", mode, s, err)
		}
		if _, err := f.New(TokenEntry{Name: "bob"}); !errors.Is(err, ErrExposed) {
			t.Errorf("with the mode %o a token was made: %v", mode, err)
		}
	}
}

func TestOtherTokensAreRefused(t *testing.T) {
	f, clock := tokens(t)
	token := mustNew(t, f, TokenEntry{Name: "ann", Scopes: []Scope{Read}, Expires: clock.Add(time.Hour)})
	data, err := f.List()
	if err != nil {
		t.Fatal(err)
	}
	refused := func(why, token string) {
		t.Helper()
		s, err := f.Verify(token)
		if invalid := (*CredentialError)(nil); !errors.As(err, &invalid) || s != nil {
			t.Errorf("%s: %+v, %v", why, s, err)
		}
		if err != nil && token != "" && strings.Contains(err.Error(), token) {
			t.Errorf("%s: the error has the token: %v", why, err)
		}
	}
	refused("none", "")
	refused("its prefix", tokenPrefix)
	refused("one letter less", token[:len(token)-1])
	refused("one letter more", token+"a")
	refused("in capitals", strings.ToUpper(token))
	refused("its digest", data[0].Digest)
	if _, err := f.Verify(token); err != nil {
		t.Errorf("before it expires: %v", err)
	}
	*clock = clock.Add(time.Hour)
	refused("expired", token)
}

// What another process does to the file counts at the next request.
func TestARevokedTokenIsRefusedAtOnce(t *testing.T) {
	f, _ := tokens(t)
	serving := &TokenFile{Path: f.Path, Now: f.Now}
	ann, bob := mustNew(t, f, TokenEntry{Name: "ann", Scopes: []Scope{Read}}), mustNew(t, f, TokenEntry{Name: "bob", Scopes: []Scope{Read}})
	for _, token := range []string{ann, bob} {
		if _, err := serving.Verify(token); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := f.Revoke("ann"); left != 1 || err != nil {
		t.Fatalf("%d left, %v", left, err)
	}
	if s, err := serving.Verify(ann); err == nil {
		t.Errorf("%+v", s)
	}
	if _, err := serving.Verify(bob); err != nil {
		t.Errorf("another one: %v", err)
	}
	if _, err := f.Revoke("ann"); !errors.Is(err, ErrUnknown) {
		t.Errorf("a second time: %v", err)
	}
	if again := mustNew(t, f, TokenEntry{Name: "ann", Scopes: []Scope{Read}}); again == ann {
		t.Error("the new token is the old one")
	}
	if s, err := serving.Verify(ann); err == nil {
		t.Errorf("a new one with its name made the old one valid: %+v", s)
	}
}

func TestADamagedFileLetsNobodyIn(t *testing.T) {
	f, _ := tokens(t)
	token := mustNew(t, f, TokenEntry{Name: "ann", Scopes: []Scope{Read}})
	for _, text := range []string{"", "{", "[]", `{"tokens": 3}`, strings.Repeat(" ", maxTokenFile+1)} {
		if err := os.WriteFile(f.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := f.Verify(token); err == nil || s != nil {
			t.Errorf("%.20q: %+v, %v", text, s, err)
		}
		if _, err := f.New(TokenEntry{Name: "bob"}); err == nil {
			t.Errorf("%.20q: it was written over", text)
		}
	}
}

func TestNames(t *testing.T) {
	f, _ := tokens(t)
	mustNew(t, f, TokenEntry{Name: "ci.build_2@host-a"})
	for _, name := range []string{"", "Ann", "a b", "a/b", "-a", strings.Repeat("a", 61), "é", "a\n"} {
		if _, err := f.New(TokenEntry{Name: name}); !errors.Is(err, ErrName) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := f.New(TokenEntry{Name: "ci.build_2@host-a"}); !errors.Is(err, ErrTaken) {
		t.Errorf("a second one: %v", err)
	}
}

func TestManyWritersLoseNoToken(t *testing.T) {
	f, _ := tokens(t)
	const writers = 20
	made := make([]string, writers)
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			own := &TokenFile{Path: f.Path}
			token, err := own.New(TokenEntry{Name: fmt.Sprint("w", i), Scopes: []Scope{Read}})
			if err != nil {
				t.Error(err)
			}
			made[i] = token
		})
	}
	all.Wait()
	for i, token := range made {
		if s, err := f.Verify(token); err != nil || s.Name != fmt.Sprint("w", i) {
			t.Errorf("token %d: %+v, %v", i, s, err)
		}
	}
}
