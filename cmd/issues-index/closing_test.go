package main

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"
)

// A fullDisk is what cannot be closed properly.
type fullDisk struct{}

func (fullDisk) Close() error { return errors.New("no space is left on the disk") }

// What a command has done is done, though its index cannot be closed properly after it:
// that is a note, and no exit code.
func TestAnIndexThatCannotBeClosedIsANote(t *testing.T) {
	var errOut bytes.Buffer
	p := &program{errOut: &errOut}
	closeIndex(fullDisk{}, p.notes(slog.LevelWarn))
	if got, want := errOut.String(), "note: the index could not be closed properly; the next start repairs it (reason no space is left on the disk)\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
