package pdpp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"issues-index/tools"
)

// Exit codes of a process that must not start, those of sysexits.h that the
// reference adapter uses.
const (
	ExitUsage      = 64 // there is no address, or it is invalid
	ExitPermission = 77 // a credential of the owner is in reach
	ExitConfig     = 78 // there is no credential that can be used
)

// A StartError is a reason not to serve an RS.
type StartError struct {
	Exit    int // code of the process
	Message string
	Hint    string
}

func (e *StartError) Error() string { return e.Message }

func noProvider() *StartError {
	return &StartError{Exit: ExitUsage, Message: "the PDPP resource server has no address",
		Hint: "set PDPP_PROVIDER_URL, or pdpp.providerUrl in the configuration, or leave pdpp out of the toolsets"}
}

func invalidProvider(err error) *StartError {
	return &StartError{Exit: ExitUsage, Message: "the address of the PDPP resource server is invalid: " + err.Error(),
		Hint: "set PDPP_PROVIDER_URL to an http or https address without user, query or fragment"}
}

func ownerVariable(name string) *StartError {
	return &StartError{Exit: ExitPermission,
		Message: name + " is set: the PDPP adapter does not run where a credential of the owner is in reach",
		Hint:    "unset " + name + "; the adapter works with the credential of a grant that pdpp connect keeps"}
}

// Exposed names the file of the credential when other users of this machine may read or
// change it, "" when not.
func (c *Client) Exposed() string {
	file := filepath.Join(c.credentials.root, c.credentials.file)
	const others = 0o077
	if info, err := os.Stat(file); runtime.GOOS != "windows" && err == nil && info.Mode().Perm()&others != 0 { // Windows has no such bits
		return file
	}
	return ""
}

// unusableAtStart makes a StartError of what is wrong with the credential. It is the
// user who reads it, not an agent.
func (c *credentials) unusableAtStart(err error) *StartError {
	e := &StartError{Exit: ExitConfig, Message: err.Error(),
		Hint: fmt.Sprintf("run `pdpp connect %s`, which keeps one of a grant, and start again; it is looked for in %s, below PDPP_CACHE_ROOT", c.provider, filepath.Join(c.root, c.file))}
	var typed *tools.Error
	if errors.As(err, &typed) {
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
