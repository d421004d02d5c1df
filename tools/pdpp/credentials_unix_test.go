//go:build unix

package pdpp

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestReadableCredentialIsExposed(t *testing.T) {
	f := open(t)
	client, err := New(f.options)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(client.credentials.root, client.credentials.file)
	for mode, want := range map[os.FileMode]string{0o600: "", 0o400: "", 0o644: file, 0o640: file, 0o602: file} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if got := client.Exposed(); got != want {
			t.Errorf("mode %o: %q, want %q", mode, got, want)
		}
	}
}

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
