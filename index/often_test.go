//go:build !race

package index

// patience divides how often a random test does something.
const patience = 1
