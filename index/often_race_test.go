//go:build race

package index

// patience divides how often a random test does something: with the race
// detector, SQLite in Go takes some twenty times as long.
const patience = 20
