//go:build !windows

package store

// systemReasons are those that only one system has.
var systemReasons []diskReason

// patiently does something once: here no open file is in the way.
func patiently(do func() error, _ ...error) error { return do() }
