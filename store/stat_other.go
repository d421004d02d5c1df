//go:build !linux && !darwin

package store

import (
	"io/fs"
	"os"
)

func statOf(info fs.FileInfo) Stat {
	return Stat{Size: info.Size(), Mtime: info.ModTime().UnixNano()}
}

// bornAt is 0: this system does not tell when a file was made.
func bornAt(*os.File, fs.FileInfo) int64 { return 0 }
