//go:build !windows

package store

import (
	"io/fs"
	"os"
)

// StatAt is what the system says of the file at p below dir, which info describes.
func StatAt(_, _ string, info fs.FileInfo) Stat { return StatOf(info) }

// statOpen is what the system says of an open file, which info describes.
func statOpen(_ *os.File, info fs.FileInfo) Stat { return StatOf(info) }
