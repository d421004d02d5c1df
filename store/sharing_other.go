//go:build !windows

package store

// systemReasons are those that only one system has.
var systemReasons []diskReason

// IsHeld is for Windows.
func IsHeld(error) bool { return false }

// patiently does something once: here no open file is in the way.
func patiently(do func() error, _ ...error) error { return do() }
