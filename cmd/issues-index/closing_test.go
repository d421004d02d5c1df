//go:build !windows

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/index"
)

// What a command has done is done, though the index cannot be sealed after it.
func TestAnIndexThatCannotBeClosedFailsNoCommand(t *testing.T) {
	root := sampleCopy(t)
	var errOut bytes.Buffer
	p := &program{workspace: root, out: &bytes.Buffer{}, errOut: &errOut, getenv: func(string) string { return "" }}
	err := p.withIndex(t.Context(), p.indexOptions(), func(ix *index.Index) error {
		if _, err := ix.Health(t.Context()); err != nil { // which opens it
			return err
		}
		seal := filepath.Join(root, filepath.FromSlash(index.DefaultPath)+".seal")
		return errors.Join(os.RemoveAll(seal), os.Mkdir(seal, 0o755))
	})
	if code := report(&errOut, err); code != 0 || !strings.HasPrefix(errOut.String(), "note: the index could not be closed properly; the next start repairs it (reason ") {
		t.Errorf("exit code %d: %s", code, errOut.String())
	}
}
