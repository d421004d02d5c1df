package layout

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// How the ids of new documents are told apart.
const (
	SchemeNumber = "number" // ISS-000042, the next number
	SchemeHash   = "hash"   // ISS-k3f9q, made at random
)

const allowedScheme = "number or hash; with hash every pattern of idPattern begins with a prefix"

// idScheme reads how ids are told apart.
func (d *decoder) idScheme(node *yaml.Node) {
	d.schemeLine = node.Line
	d.layout.IDScheme = d.text(node, d.key, allowedScheme, func(text string) bool {
		return text == SchemeNumber || text == SchemeHash
	})
}

// checkScheme refuses hashes without a prefix: a file's name could begin with a word that
// looks like one.
func (d *decoder) checkScheme() {
	d.key = "idScheme"
	for docType, p := range d.layout.IDs {
		if d.layout.IDScheme == SchemeHash && p.Prefix == "" {
			d.problem(d.schemeLine, "invalid idScheme hash: the ids of %s are nothing but a number: "+
				"give them a prefix in idPattern, as in ISS-{n}", docType)
		}
	}
}

// hashSymbols are those of a hash: no vowels, so that it makes no words, and no zeros, which
// lookups pass over before a number.
const hashSymbols = "123456789bcdfghjklmnpqrstvwxyz"

const (
	shortestHash = 5
	longestHash  = 12
)

// HashLength is how many symbols a new hash has beside so many documents: so many that two
// of them being alike has a probability of 1 % at most, when they are made without knowing
// of each other.
func HashLength(documents int) int {
	length := shortestHash
	for n := float64(documents) + 1; length < longestHash; length++ {
		possible := 1.0
		for range length {
			possible *= float64(len(hashSymbols))
		}
		if n*n/2/possible <= 0.01 {
			break
		}
	}
	return length
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
