package o200k

import (
	_ "embed"
	"hash/maphash"
)

// file has every token in the order of its rank: its length in a byte, and its
// bytes. No token is longer than 128.
//
//go:embed vocabulary.bin
var file string

// A vocabulary finds the rank of a token. It is a hash table, without pointers, into
// the file.
type vocabulary struct {
	file  string
	seed  maphash.Seed
	slots []slot // a power of two, at most four fifths of them taken
}

// A slot is where in the file a token begins, and above that its rank. As no token
// begins at 0, where the first one's length is, an empty slot is 0.
type slot uint64

const placeBits = 32

// newVocabulary makes the table of a file.
func newVocabulary(file string) *vocabulary {
	tokens := 0
	for at := 0; at < len(file); at += 1 + int(file[at]) {
		tokens++
	}
	size := 1
	for 4*size < 5*tokens {
		size *= 2
	}
	v := &vocabulary{file: file, seed: maphash.MakeSeed(), slots: make([]slot, size)}
	rank := slot(0)
	for at := 0; at < len(file); rank++ {
		start, end := at+1, at+1+int(file[at])
		i := v.hash(file[start:end])
		for v.slots[i] != 0 {
			i = (i + 1) % len(v.slots)
		}
		v.slots[i] = rank<<placeBits | slot(start) //nolint:gosec // a place in the file
		at = end
	}
	return v
}

func (v *vocabulary) hash(token string) int {
	return int(maphash.String(v.seed, token) % uint64(len(v.slots))) //nolint:gosec // below the length
}

// token is the text of a slot.
func (v *vocabulary) token(s slot) string {
	start := int(s & (1<<placeBits - 1)) //nolint:gosec // a place in the file
	return v.file[start : start+int(v.file[start-1])]
}

// rank returns a token's rank.
func (v *vocabulary) rank(token string) (rank int, ok bool) {
	for i := v.hash(token); v.slots[i] != 0; i = (i + 1) % len(v.slots) {
		if v.token(v.slots[i]) == token {
			return int(v.slots[i] >> placeBits), true //nolint:gosec // some 200,000
		}
	}
	return 0, false
}
