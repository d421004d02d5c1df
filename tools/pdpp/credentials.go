package pdpp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"issues-index/store/pattern"
	"issues-index/tools"
)

// Codes of what keeps a credential from being used.
const (
	codeNotConnected      tools.Code = "not_connected"
	codeCredentialExpired tools.Code = "credential_expired"
	codeCredentialInvalid tools.Code = "credential_invalid"
	codeOwnerRefused      tools.Code = "owner_token_refused"
	codeOtherAddress      tools.Code = "credential_of_another_address"
)

// ownerVariables hold credentials of the owner, with which nothing of this must run.
var ownerVariables = []string{"PDPP_OWNER_TOKEN", "PDPP_OWNER_SESSION_COOKIE"}

// What a file and a token may be at most, in bytes: more than any has, and a token as
// much as servers take of a header.
const (
	maxCredential = 1 << 20
	maxToken      = 8 << 10
)

// credentials are those that `pdpp connect` keeps for one RS. The file is read anew
// for each call: tokens live ten minutes, and renewing one must not need a restart.
type credentials struct {
	address  *url.URL // of the RS, canonical
	provider string   // the address, as it is shown
	root     string   // folder in which the files are
	file     string   // its path below root
	now      func() time.Time
}

// A credential is what is read of the file. The names under which a kind may stand
// are those that the reference adapter looks at.
type credential struct {
	AccessToken   string          `json:"access_token"`
	ExpiresAt     json.RawMessage `json:"expires_at"`
	Kind          any             `json:"kind"`
	Role          any             `json:"role"`
	TokenKind     any             `json:"token_kind"`
	PDPPTokenKind any             `json:"pdpp_token_kind"`
}

var notInFileName = pattern.Lazy(`[^A-Za-z0-9.-]`)

// credentialFile is where the credential for a host is kept, below the cache root.
func credentialFile(host string) string {
	return filepath.Join("clients", notInFileName().ReplaceAllString(host, "_")+".json")
}

// token returns the access token of the moment. Its error is a [*tools.Error] that
// says what to do.
func (c *credentials) token() (string, error) {
	raw, err := c.read()
	if errors.Is(err, fs.ErrNotExist) {
		return "", c.unusable(codeNotConnected, "No credential is kept for %s.", c.provider)
	}
	if err != nil {
		return "", c.unusable(codeCredentialInvalid, "The credential kept for %s cannot be read.", c.provider)
	}
	var file struct {
		credential
		ProviderURL string      `json:"provider_url"`
		Credential  *credential `json:"credential"`
	}
	if json.Unmarshal(raw, &file) != nil || file.Credential == nil {
		return "", c.unusable(codeCredentialInvalid, "The credential kept for %s is malformed.", c.provider)
	}
	if file.owner() || file.Credential.owner() {
		return "", tools.Errorf(codeOwnerRefused, "The credential kept for %s is one of the owner; only those of a grant are used.", c.provider).
			Try("Ask the user to run `pdpp connect %s`, which keeps one of a grant.", c.provider)
	}
	token := file.Credential.AccessToken
	if token == "" || len(token) > maxToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", c.unusable(codeCredentialInvalid, "The credential kept for %s has no access token that can be sent.", c.provider)
	}
	if err := c.belongs(file.ProviderURL); err != nil {
		return "", err
	}
	until, err := expiry(file.Credential.ExpiresAt)
	switch {
	case err != nil:
		return "", c.unusable(codeCredentialInvalid, "The credential kept for %s does not say when it expires.", c.provider)
	case !until.IsZero() && !c.now().Before(until):
		return "", c.unusable(codeCredentialExpired, "The credential kept for %s expired at %s.", c.provider, until.UTC().Format(time.RFC3339))
	}
	return token, nil
}

// belongs refuses to send a credential elsewhere than where it was got: the file is
// named after the host alone, so that without TLS anyone on the way would have it. A
// file that does not say where it was got is trusted with the address, since only the
// user sets that.
func (c *credentials) belongs(provider string) error {
	remedy := fmt.Sprintf("Ask the user to run `pdpp connect %s` if that address is right, and else to set PDPP_PROVIDER_URL.", c.provider)
	if provider == "" {
		return nil
	}
	got, err := url.Parse(provider)
	if err != nil || got.Host == "" {
		return c.unusable(codeCredentialInvalid, "The credential kept for %s does not say where it was got.", c.provider)
	}
	if !sameServer(canonical(got), c.address) {
		return tools.Errorf(codeOtherAddress, "The credential is one for %s, and is not sent to %s.", tools.Plain(got.Scheme+"://"+got.Host), c.provider).
			Try("%s", remedy)
	}
	return nil
}

var errNotRegular = errors.New("it is not a regular file")

// read reads the file, which does not lead out of the cache root: the token of another
// host may be kept elsewhere.
func (c *credentials) read() (content []byte, err error) {
	root, err := os.OpenRoot(c.root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	info, err := root.Stat(c.file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a pipe would hold us up for ever
		return nil, errNotRegular
	}
	file, err := root.Open(c.file)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	return io.ReadAll(io.LimitReader(file, maxCredential))
}

func (c *credentials) unusable(code tools.Code, format string, args ...any) *tools.Error {
	return tools.Errorf(code, format, args...).
		Try("Ask the user to run `pdpp connect %s`, then call again: no restart is needed.", c.provider)
}

// owner reports whether any of the names of a kind says that it is the owner's.
func (c *credential) owner() bool {
	return slices.ContainsFunc([]any{c.Kind, c.Role, c.TokenKind, c.PDPPTokenKind}, ofOwner)
}

// ofOwner reports whether a kind, or one of several, has the word owner in it.
func ofOwner(kind any) bool {
	switch kind := kind.(type) {
	case string:
		words := strings.FieldsFunc(kind, func(r rune) bool { return !unicode.IsLetter(r) })
		return slices.ContainsFunc(words, func(word string) bool { return strings.EqualFold(word, "owner") })
	case []any:
		return slices.ContainsFunc(kind, ofOwner)
	}
	return false
}

// Times as numbers: one up to lastSecond is in seconds, a larger one in milliseconds,
// of which a date has so many at most.
const (
	lastSecond      = 1e11
	lastMillisecond = 8.64e15
)

// expiry reads a time as text, in UTC where it names no zone, or as seconds or
// milliseconds of the epoch; the zero time when there is none.
func expiry(raw json.RawMessage) (time.Time, error) {
	var text string
	switch {
	case len(raw) == 0, string(raw) == "null", string(raw) == `""`:
		return time.Time{}, nil
	case json.Unmarshal(raw, &text) == nil:
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
			if when, err := time.Parse(layout, text); err == nil {
				return when, nil
			}
		}
		return time.Time{}, errors.New("read expires_at: it is no time")
	}
	var number float64
	if err := json.Unmarshal(raw, &number); err != nil {
		return time.Time{}, fmt.Errorf("read expires_at: %w", err)
	}
	if math.Abs(number) < lastSecond {
		number *= 1000
	}
	if math.Abs(number) > lastMillisecond {
		return time.Time{}, errors.New("read expires_at: it is no time")
	}
	return time.UnixMilli(int64(number)), nil
}
