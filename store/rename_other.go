//go:build !linux && !darwin && !windows

package store

import (
	"errors"
	"os"
)

// renameNoReplace has no counterpart on this system.
func renameNoReplace(*os.File, string, *os.File, string) error { return errors.ErrUnsupported }
