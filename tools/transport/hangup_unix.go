//go:build unix

package transport

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// writersGone reports whether no process has the other end of an input open for writing.
// The input may still have unread bytes.
func writersGone(in io.Reader) bool {
	file, ok := in.(*os.File)
	if !ok {
		return false
	}
	conn, err := file.SyscallConn()
	if err != nil {
		return false
	}
	gone := false
	err = conn.Control(func(fd uintptr) {
		poll := []unix.PollFd{{Fd: int32(fd)}} //nolint:gosec // a descriptor is small
		n, err := unix.Poll(poll, 0)
		gone = err == nil && n == 1 && poll[0].Revents&unix.POLLHUP != 0
	})
	return err == nil && gone
}
