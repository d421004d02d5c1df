package auth

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"issues-index/store/pattern"
	"issues-index/store/userfile"
)

// tokenPrefix begins every token that this program makes, so that those who find one see
// what it is, and so that no issuer is asked about it.
const tokenPrefix = "iix_"

// A TokenEntry is an entry of a [TokenFile]. The token itself is in no entry.
type TokenEntry struct {
	Name       string    `json:"name"`
	Digest     string    `json:"sha256"` // of the token, hexadecimal
	Scopes     []Scope   `json:"scopes"`
	Workspaces []string  `json:"workspaces,omitempty"`
	Created    time.Time `json:"created"`
	Expires    time.Time `json:"expires,omitzero"`
}

// HasExpired reports whether a token is no longer valid.
func (t TokenEntry) HasExpired(now time.Time) bool { return hasPassed(t.Expires, now) }

// hasPassed reports whether a credential that expires then is no longer valid; zero is never.
func hasPassed(expires, now time.Time) bool { return !expires.IsZero() && !now.Before(expires) }

// A TokenFile has the tokens of this program. It is read again for each request, so that
// what is revoked is refused at once. Other processes may change it at any time.
type TokenFile struct {
	Path string
	Now  func() time.Time // nil is time.Now

	mu   sync.Mutex
	data []byte // as it was read last
	list []TokenEntry
}

// tokenFile is the form of the file.
type tokenFile struct {
	Tokens []TokenEntry `json:"tokens"`
}

const (
	maxTokenFile = 1 << 20 // bytes
	// lockTime is how long another process may take to write the file.
	lockTime = 5 * time.Second
	lockStep = 10 * time.Millisecond
)

// tokenName is what tokens are called: what a holder of claims can be called as it is.
var tokenName = pattern.Lazy(`^[a-z0-9][a-z0-9._@-]{0,59}$`)

// The errors of changes of a TokenFile.
var (
	ErrName = errors.New("a name has up to 60 of a-z, 0-9, dot, underscore, @ and hyphen, and begins with a letter " +
		"or digit")
	ErrTaken   = errors.New("there is a token of this name")
	ErrUnknown = errors.New("there is no token of this name")
	ErrExposed = errors.New("other users of this machine can read or change it")
)

func (f *TokenFile) now() time.Time {
	if f.Now != nil {
		return f.Now()
	}
	return time.Now()
}

// Exists reports whether the file is there. Then every request needs a credential, even if
// no token is left in it.
func (f *TokenFile) Exists() bool {
	_, err := os.Lstat(f.Path)
	return !errors.Is(err, fs.ErrNotExist)
}

// List returns the tokens in the order of their names.
func (f *TokenFile) List() ([]TokenEntry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	data, err := readPrivate(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if f.list != nil && bytes.Equal(data, f.data) {
		return slices.Clone(f.list), nil
	}
	var file tokenFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("read the tokens in %s: %w", f.Path, err)
	}
	f.data, f.list = data, append([]TokenEntry{}, file.Tokens...)
	return slices.Clone(f.list), nil
}

// readPrivate reads a file that only its owner may read.
func readPrivate(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("read %s: it is no file", path)
	case info.Size() > maxTokenFile:
		return nil, fmt.Errorf("read %s: it has more than %d bytes", path, maxTokenFile)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0: // Windows has other rights
		return nil, fmt.Errorf("read %s: %w", path, ErrExposed)
	}
	return os.ReadFile(path)
}

// Verify returns the subject of a token. Every entry is compared, so that the time tells
// nothing about which of them resembles it.
func (f *TokenFile) Verify(token string) (*Principal, error) {
	list, err := f.List()
	if err != nil {
		return nil, err
	}
	digest, found := digestOf(token), -1
	for i, t := range list {
		if subtle.ConstantTimeCompare([]byte(t.Digest), []byte(digest)) == 1 {
			found = i
		}
	}
	switch {
	case found < 0:
		return nil, &CredentialError{"the token is not known; it may have been revoked"}
	case list[found].HasExpired(f.now()):
		return nil, &CredentialError{"the token has expired"}
	}
	t := list[found]
	return &Principal{Name: t.Name, Scopes: t.Scopes, Workspaces: t.Workspaces, Expires: t.Expires, digest: t.Digest}, nil
}

func digestOf(token string) string {
	sum := sha256.Sum256([]byte(token)) // no slow one: a token has 130 random bits
	return hex.EncodeToString(sum[:])
}

// New adds a token with the name, scopes, workspaces and expiry of t, and returns it. It is
// kept nowhere else. Errors: ErrName, ErrTaken, ErrExposed and those of the file system.
func (f *TokenFile) New(t TokenEntry) (token string, err error) {
	if !tokenName().MatchString(t.Name) {
		return "", ErrName
	}
	token = tokenPrefix + strings.ToLower(rand.Text())
	t.Digest, t.Created = digestOf(token), f.now().UTC().Truncate(time.Second)
	err = f.change(func(list []TokenEntry) ([]TokenEntry, error) {
		if slices.ContainsFunc(list, func(other TokenEntry) bool { return other.Name == t.Name }) {
			return nil, ErrTaken
		}
		list = append(list, t)
		slices.SortFunc(list, func(a, b TokenEntry) int { return cmp.Compare(a.Name, b.Name) })
		return list, nil
	})
	return token, err
}

// Revoke removes a token and reports how many are left. Errors: ErrUnknown, ErrExposed and
// those of the file system.
func (f *TokenFile) Revoke(name string) (left int, err error) {
	if !f.Exists() {
		return 0, ErrUnknown
	}
	err = f.change(func(list []TokenEntry) ([]TokenEntry, error) {
		kept := slices.DeleteFunc(list, func(t TokenEntry) bool { return t.Name == name })
		left = len(kept)
		if len(kept) == len(list) {
			return nil, ErrUnknown
		}
		return kept, nil
	})
	return left, err
}

// change writes the file anew while no other process does.
func (f *TokenFile) change(edit func([]TokenEntry) ([]TokenEntry, error)) (err error) {
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return fmt.Errorf("make the folder of the tokens: %w", err)
	}
	lock, err := f.lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	list, err := f.List()
	if err != nil {
		return err
	}
	if list, err = edit(list); err != nil {
		return err
	}
	data, err := json.MarshalIndent(tokenFile{list}, "", "  ")
	if err != nil {
		return err
	}
	return userfile.Replace(f.Path, append(data, '\n'))
}

func (f *TokenFile) lock() (*flock.Flock, error) {
	lock := flock.New(f.Path+".lock", flock.SetPermissions(0o600))
	for end := time.Now().Add(lockTime); ; time.Sleep(lockStep) {
		if held, err := lock.TryLock(); held || err != nil {
			return lock, err
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("lock %s.lock: another program holds it", f.Path)
		}
	}
}
