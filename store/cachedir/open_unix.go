//go:build linux || darwin

package cachedir

import "golang.org/x/sys/unix"

// Flags for opening a file that a stranger may have put there: a link is an error,
// and a pipe without a writer is opened at once.
const (
	NoFollow = unix.O_NOFOLLOW
	NoBlock  = unix.O_NONBLOCK
)
