package layout

import (
	"math"
	"strings"
)

// How the ids of new documents are told apart.
const (
	SchemeNumber = "number" // ISS-000042, the next number
	SchemeHash   = "hash"   // ISS-k3f9q, made at random
)

const allowedScheme = "number or hash; with hash every pattern of idPattern begins with a prefix"

// idScheme reads how ids are told apart.
func (d *decoder) idScheme() {
	d.oneText(&d.layout.IDScheme, func(text string) bool { return text == SchemeNumber || text == SchemeHash })
}

// hashSymbols are those of a hash: no vowels, so that it makes no words, and no zeros, which
// lookups pass over before a number.
const hashSymbols = "123456789bcdfghjklmnpqrstvwxyz"

const (
	shortestHash = 5
	longestHash  = 12
)

// HashLength is how many symbols a new hash has beside so many documents, 5 to 12: so many that two
// of them being alike has a probability of 1 % at most, when they are made without knowing
// of each other.
func HashLength(documents int) int {
	n := float64(documents) + 1
	length := math.Log(n*n/2/0.01) / math.Log(float64(len(hashSymbols)))
	return min(max(int(math.Ceil(length)), shortestHash), longestHash)
}

// FormatHash is a hash of some length made of random bytes, ok false when it would look like
// a number or a word: a hash has both letters and digits.
func FormatHash(random []byte) (hash string, ok bool) {
	symbols := make([]byte, len(random))
	for i, b := range random {
		symbols[i] = hashSymbols[int(b)%len(hashSymbols)] // some are likelier by an eighth
	}
	hash = string(symbols)
	return hash, IsHash(hash)
}

// IsHash reports whether a text is of the form of a hash, in any letter case.
func IsHash(text string) bool {
	text = strings.ToLower(text)
	return shortestHash <= len(text) && len(text) <= longestHash && strings.Trim(text, hashSymbols) == "" &&
		strings.ContainsAny(text, "123456789") && strings.Trim(text, "123456789") != ""
}
