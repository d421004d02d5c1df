//go:build !linux && !darwin

package store

import "io/fs"

func statOf(info fs.FileInfo) Stat {
	return Stat{Size: info.Size(), Mtime: info.ModTime().UnixNano()}
}
