//go:build !windows

package store

import (
	"io/fs"
	"os"
	"path/filepath"
)

// StatAt is what the system says of the file at p below dir, which info describes.
func StatAt(_, _ string, info fs.FileInfo) Stat { return StatOf(info) }

// statOpen is what the system says of an open file, which info describes.
func statOpen(_ *os.File, info fs.FileInfo) Stat { return StatOf(info) }

// isSpelled is for Windows.
func (*Workspace) isSpelled(string) bool { return true }

// spelling is the last name of a path, which on Windows may be written otherwise on disk.
func spelling(full string) string { return filepath.Base(full) }
