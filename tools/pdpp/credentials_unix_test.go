//go:build unix

package pdpp

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe would hold the start up for ever.
func TestAPipeIsNoCredential(t *testing.T) {
	c := kept(t, `{}`)
	file := filepath.Join(c.root, c.file)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if token, err := c.token(); err == nil || !strings.Contains(err.Error(), string(codeCredentialInvalid)) {
		t.Errorf("got %q, %v", token, err)
	}
}
