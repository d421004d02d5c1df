package pdpp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"issues-index/tools"
)

// Codes of what keeps a credential from being used.
const (
	codeNotConnected      tools.Code = "not_connected"
	codeCredentialExpired tools.Code = "credential_expired"
	codeCredentialInvalid tools.Code = "credential_invalid"
	codeOwnerRefused      tools.Code = "owner_token_refused"
)

// ownerVariables hold credentials of the owner, with which nothing of this must run.
var ownerVariables = []string{"PDPP_OWNER_TOKEN", "PDPP_OWNER_SESSION_COOKIE"}

// maxCredential bounds the file of a credential, in bytes.
const maxCredential = 1 << 20

// credentials are those that `pdpp connect` keeps for one RS. The file is read anew
// for each call: tokens live ten minutes, and renewing one must not need a restart.
type credentials struct {
	provider string
	file     string
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

var notInFileName = regexp.MustCompile(`[^A-Za-z0-9.-]`)

// credentialFile is where the credential for a host is kept.
func credentialFile(cacheRoot, host string) string {
	return filepath.Join(cacheRoot, "clients", notInFileName.ReplaceAllString(host, "_")+".json")
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
		Credential *credential `json:"credential"`
	}
	if json.Unmarshal(raw, &file) != nil || file.Credential == nil {
		return "", c.unusable(codeCredentialInvalid, "The credential kept for %s is malformed.", c.provider)
	}
	if file.owner() || file.Credential.owner() {
		return "", tools.Errorf(codeOwnerRefused, "The credential kept for %s is one of the owner; only those of a grant are used.", c.provider).
			Try("Ask the user to run `pdpp connect %s`, which keeps one of a grant.", c.provider)
	}
	token := file.Credential.AccessToken
	if strings.TrimSpace(token) == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", c.unusable(codeCredentialInvalid, "The credential kept for %s has no access token.", c.provider)
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

func (c *credentials) read() ([]byte, error) {
	file, err := os.Open(c.file)
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
	for _, kind := range []any{c.Kind, c.Role, c.TokenKind, c.PDPPTokenKind} {
		if text, ok := kind.(string); ok && strings.EqualFold(strings.TrimSpace(text), "owner") {
			return true
		}
	}
	return false
}

// lastSecond is a number that is a time in seconds; a larger one is in milliseconds.
const lastSecond = 1e11

// expiry reads a time as text or as seconds or milliseconds of the epoch; the zero
// time when there is none.
func expiry(raw json.RawMessage) (time.Time, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return time.Time{}, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return time.Parse(time.RFC3339, text)
	}
	var number float64
	if err := json.Unmarshal(raw, &number); err != nil {
		return time.Time{}, fmt.Errorf("read expires_at: %w", err)
	}
	if number < lastSecond {
		number *= 1000
	}
	return time.UnixMilli(int64(number)), nil
}
