//go:build !unix

package transport

import "io"

// writersGone is false: this system cannot tell before the input is read to its end.
func writersGone(io.Reader) bool { return false }
