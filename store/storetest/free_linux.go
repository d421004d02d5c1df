package storetest

import "golang.org/x/sys/unix"

// freeBytes is the room in a file system in memory, 0 where the folder is in none.
func freeBytes(folder string) uint64 {
	var fs unix.Statfs_t
	if err := unix.Statfs(folder, &fs); err != nil || fs.Type != unix.TMPFS_MAGIC || fs.Bsize < 0 {
		return 0
	}
	return fs.Bavail * uint64(fs.Bsize)
}
