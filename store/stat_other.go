//go:build !linux && !darwin

package store

import "io/fs"

const nonBlock = 0

func statOf(info fs.FileInfo) Stat {
	return Stat{Size: info.Size(), Mtime: info.ModTime().UnixNano()}
}
