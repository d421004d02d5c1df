//go:build !linux && !darwin

package store

import (
	"errors"
	"os"
)

// renameNoReplace has no counterpart on this system.
func renameNoReplace(*os.File, string, *os.File, string) error { return errors.ErrUnsupported }

// syncDirectory has no counterpart on some of these systems.
func syncDirectory(*os.File) error { return nil }

// attributesOf gives the mode only.
func attributesOf(f *os.File) (attributes, error) {
	info, err := f.Stat()
	if err != nil {
		return attributes{}, err
	}
	return attributes{mode: info.Mode().Perm(), uid: -1, gid: -1}, nil
}

func (f rootFile) setXattr(xattr) error { return nil }
