package pdpp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/net/idna"

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

// ownerVariables hold credentials of the owner; the adapter must not run with them.
var ownerVariables = []string{"PDPP_OWNER_TOKEN", "PDPP_OWNER_SESSION_COOKIE"}

// Limits of a credential file and of its token, in bytes. Servers take no longer header.
const (
	maxCredential = 1 << 20
	maxToken      = 8 << 10
)

// credentials reads the file that `pdpp connect` keeps for one RS. It reads the file for
// each call: tokens live ten minutes, and renewing one must not need a restart.
type credentials struct {
	address  *url.URL // of the RS, canonical
	provider string   // the address as text
	root     string   // folder of the files
	file     string   // its path below root
	now      func() time.Time
}

// A storedCredential is the credential in the file. The reference adapter looks at the same
// names of a kind.
type storedCredential struct {
	AccessToken   string          `json:"access_token"`
	ExpiresAt     json.RawMessage `json:"expires_at"`
	Kind          any             `json:"kind"`
	Role          any             `json:"role"`
	TokenKind     any             `json:"token_kind"`
	PDPPTokenKind any             `json:"pdpp_token_kind"`
}

var notInFileName = pattern.Lazy(`[^A-Za-z0-9.-]`)

// credentialFile returns the path of a host's credential below the cache root.
func credentialFile(host string) string {
	return filepath.Join("clients", notInFileName().ReplaceAllString(host, "_")+".json")
}

// token returns the current access token. Its error is a [*tools.Error] that says what to
// do.
func (c *credentials) token() (string, error) {
	raw, err := c.read()
	if errors.Is(err, fs.ErrNotExist) {
		return "", c.unusable(codeNotConnected, "No credential is kept for %s.", c.provider)
	}
	if err != nil {
		return "", c.unusable(codeCredentialInvalid, "The credential kept for %s cannot be read.", c.provider)
	}
	var file struct {
		storedCredential
		ProviderURL string            `json:"provider_url"`
		Credential  *storedCredential `json:"credential"`
	}
	if json.Unmarshal(raw, &file) != nil || file.Credential == nil {
		return "", c.unusable(codeCredentialInvalid, "The credential kept for %s is malformed.", c.provider)
	}
	if file.owner() || file.Credential.owner() {
		return "", tools.Errorf(codeOwnerRefused, "The credential kept for %s is the owner's; only the credential of a "+
			"grant is used.", c.provider).
			Try("Ask the user to run `pdpp connect %s`, which keeps the credential of a grant.", c.provider)
	}
	token := file.Credential.AccessToken
	if token == "" || len(token) > maxToken || strings.ContainsFunc(token, func(r rune) bool {
		return r <= ' ' ||
			r > '~'
	}) {
		return "", c.unusable(codeCredentialInvalid, "The credential kept for %s has no access token that can be sent.",
			c.provider)
	}
	if err := c.belongs(file.ProviderURL); err != nil {
		return "", err
	}
	until, err := expiry(file.Credential.ExpiresAt)
	switch {
	case err != nil:
		return "", c.unusable(codeCredentialInvalid, "The credential kept for %s does not say when it expires.", c.provider)
	case !until.IsZero() && !c.now().Before(until):
		return "", c.unusable(codeCredentialExpired, "The credential kept for %s expired at %s.", c.provider,
			until.UTC().Format(time.RFC3339))
	}
	return token, nil
}

// belongs refuses a credential that was issued at another address. The name of the file
// has only the host, so the token could otherwise go to the same host without TLS. A file
// without an address is trusted, since only the user sets the address that is asked.
func (c *credentials) belongs(provider string) error {
	if provider == "" {
		return nil
	}
	got, err := url.Parse(provider)
	if err != nil || got.Host == "" {
		return c.unusable(codeCredentialInvalid, "The credential kept for %s does not say where it was issued.", c.provider)
	}
	if got = canonical(got); got.Host != c.address.Host || got.Scheme != c.address.Scheme {
		return tools.Errorf(codeOtherAddress, "The credential was issued for %s and is not sent to %s.",
			tools.Plain(got.Scheme+"://"+got.Host), c.provider).
			Try("Ask the user to run `pdpp connect %s` if that address is right, and else to set PDPP_PROVIDER_URL.", c.provider)
	}
	return nil
}

// read reads the file. It follows no link out of the cache root: the token of another host
// may be there.
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
	if !info.Mode().IsRegular() || info.Size() > maxCredential { // a pipe would block for ever
		return nil, fs.ErrInvalid
	}
	return root.ReadFile(c.file)
}

func (c *credentials) unusable(code tools.Code, format string, args ...any) *tools.Error {
	return tools.Errorf(code, format, args...).
		Try("Ask the user to run `pdpp connect %s`, then call again: no restart is needed.", c.provider)
}

var ownerWord = pattern.Lazy(`(?i)[^a-z]owner`)

// owner reports whether the credential says that it is the owner's: whether one of its kinds
// has that word in it.
func (c *storedCredential) owner() bool {
	return ownerWord().MatchString(fmt.Sprint(" ", c.Kind, " ", c.Role, " ", c.TokenKind, " ", c.PDPPTokenKind))
}

// expiry reads a time, the zero time when there is none.
func expiry(raw json.RawMessage) (until time.Time, err error) {
	if text := string(raw); text != "" && text != "null" && text != `""` {
		err = json.Unmarshal(raw, &until)
	}
	return until, err
}

// Exposed returns the name of the credential's file when other users of this machine may
// read or change it, else "".
func (c *Client) Exposed() string {
	file := filepath.Join(c.credentials.root, c.credentials.file)
	const others = 0o077
	// Windows has no such bits
	if info, err := os.Stat(file); runtime.GOOS != "windows" && err == nil && info.Mode().Perm()&others != 0 {
		return file
	}
	return ""
}

// unusableAtStart makes a StartError of an unusable credential. The user reads it, not an
// agent.
func (c *credentials) unusableAtStart(err error) *StartError {
	e := &StartError{Exit: ExitConfig, Message: err.Error(),
		Hint: fmt.Sprintf("run `pdpp connect %s`, which keeps the credential of a grant, and start again; it is expected "+
			"in %s, below PDPP_CACHE_ROOT", c.provider, filepath.Join(c.root, c.file))}
	if typed, ok := errors.AsType[*tools.Error](err); ok {
		e.Message = typed.Message
		if typed.Code == codeOtherAddress {
			e.Hint = fmt.Sprintf("run `pdpp connect %s` if that address is right, and else set PDPP_PROVIDER_URL", c.provider)
		}
		if typed.Code == codeOwnerRefused {
			e.Exit = ExitPermission
		}
	}
	return e
}

// defaultPorts are left out of addresses.
var defaultPorts = map[string]string{"http": "80", "https": "443"}

// canonical returns an address in the form in which `pdpp connect` writes it and names the
// credential's file: the host in lower case and ASCII, without a default port.
func canonical(address *url.URL) *url.URL {
	same := *address
	host := strings.ToLower(address.Hostname())
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	port := address.Port()
	switch {
	case port != "" && port != defaultPorts[address.Scheme]:
		same.Host = net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		same.Host = "[" + host + "]"
	default:
		same.Host = host
	}
	same.Path, same.RawPath = strings.TrimRight(address.Path, "/"), strings.TrimRight(address.RawPath, "/")
	return &same
}
