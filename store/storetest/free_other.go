//go:build !linux

package storetest

// freeBytes is 0: other systems have no file system in memory at a known place.
func freeBytes(string) uint64 { return 0 }
