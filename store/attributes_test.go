//go:build linux || darwin

package store

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestReplaceKeepsAttributes(t *testing.T) {
	t.Run("extended ones", func(t *testing.T) {
		w := clocked(t, map[string]string{aPath: openIssue})
		full := filepath.Join(w.Root, aPath)
		const name = "user.issues-index.test"
		if err := unix.Setxattr(full, name, []byte("kept\x00"), 0); err != nil {
			t.Skip("this file system has no extended attributes:", err)
		}
		done, err := update(w, Fields{Status: new("closed")})
		if err != nil {
			t.Fatal(err)
		}
		value := make([]byte, 16)
		n, err := unix.Getxattr(filepath.Join(w.Root, done.Path), name, value)
		if err != nil || string(value[:n]) != "kept\x00" {
			t.Errorf("%q, %v", value[:max(n, 0)], err)
		}
	})
	t.Run("the owner", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("only an administrator can give files away")
		}
		w := clocked(t, map[string]string{aPath: openIssue})
		full := filepath.Join(w.Root, aPath)
		if err := os.Chown(full, 12345, 23456); err != nil {
			t.Fatal(err)
		}
		if _, err := update(w, Fields{Project: new("P")}); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(full)
		if err != nil {
			t.Fatal(err)
		}
		if sys, ok := info.Sys().(*syscall.Stat_t); !ok || sys.Uid != 12345 || sys.Gid != 23456 {
			t.Errorf("%+v", info.Sys())
		}
	})
	t.Run("as far as the system lets us", func(t *testing.T) {
		for _, refusal := range []error{syscall.EPERM, syscall.ENOTSUP} {
			root := t.TempDir()
			writeFiles(t, root, map[string]string{aPath: openIssue})
			w, d := openFaulty(t, root, never)
			d.strike = func(_ int, op string) (bool, error) {
				if op == "chown" || op == "chmod" || op == "setxattr" {
					return false, refusal
				}
				return false, nil
			}
			if _, err := update(w, Fields{Project: new("P")}); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("and gives a group that it cannot keep no more rights than everybody has", func(t *testing.T) {
		root := t.TempDir()
		writeFiles(t, root, map[string]string{aPath: openIssue})
		full := filepath.Join(root, aPath)
		if err := os.Chmod(full, 0o664); err != nil {
			t.Fatal(err)
		}
		w, _ := openFaulty(t, root, func(_ int, op string) (bool, error) {
			if op == "chown" {
				return false, syscall.EPERM
			}
			return false, nil
		})
		if _, err := update(w, Fields{Project: new("P")}); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(full); err != nil || info.Mode() != 0o644 {
			t.Error(info.Mode(), err)
		}
	})
}
