//go:build !unix

package stdio

import "io"

// writersGone is false: this system cannot tell before the input is read to its end.
func writersGone(io.Reader) bool { return false }
