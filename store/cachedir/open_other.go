//go:build !linux && !darwin

package cachedir

// Flags for opening a file that a stranger may have put there. This system has
// none: there, links need a right that few users have.
const (
	NoFollow = 0
	NoBlock  = 0
)
