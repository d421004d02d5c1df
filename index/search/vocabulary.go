package search

import (
	"bytes"
	"hash/maphash"
	"strings"
	"sync"
)

// A Vocabulary is a set of tokens that answers which of them contain a given
// string. It only grows: a token that no document has any more costs a look-up
// and finds nothing. The zero Vocabulary is empty and ready; it is safe for
// concurrent use and must not be copied.
//
// It takes about ten bytes a token beyond the token's own.
type Vocabulary struct {
	mu sync.RWMutex
	// text is "\n" and then each token with "\n" behind it. It is appended to and
	// never changed, so that a scan needs no lock for what it has seen.
	text []byte
	// slots is a hash table with linear probing of the tokens' offsets in text, 0
	// where free. Its length is a power of two.
	slots []uint32
	count int
	seed  maphash.Seed
}

// Add adds tokens as Feed makes them. Those that are there already, and empty
// ones, change nothing.
func (v *Vocabulary) Add(terms ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, term := range terms {
		v.add(term)
	}
}

// Missing returns the tokens of what Feed returned that the vocabulary does not
// hold, each once and in order.
func (v *Vocabulary) Missing(feed string) []string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	var terms []string
	var seen map[string]bool
	for len(feed) > 0 {
		var term string
		term, feed, _ = strings.Cut(feed, " ")
		if term == "" || v.has(term) || seen[term] {
			continue
		}
		if seen == nil {
			seen = map[string]bool{}
		}
		seen[term] = true
		terms = append(terms, term)
	}
	return terms
}

// Has reports whether the vocabulary holds the token.
func (v *Vocabulary) Has(term string) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.has(term)
}

func (v *Vocabulary) has(term string) bool {
	return v.count > 0 && v.slots[v.slot(term)] != 0
}

// Len returns the number of tokens.
func (v *Vocabulary) Len() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.count
}

func (v *Vocabulary) add(term string) {
	if len(term) == 0 {
		return
	}
	if 3*v.count >= 2*len(v.slots) {
		v.grow()
	}
	slot := v.slot(term)
	if v.slots[slot] != 0 {
		return
	}
	v.slots[slot] = uint32(len(v.text))
	v.text = append(v.text, term...)
	v.text = append(v.text, '\n')
	v.count++
}

// slot returns where the term is, or the free slot where it would go.
func (v *Vocabulary) slot(term string) int {
	mask := len(v.slots) - 1
	slot := int(maphash.String(v.seed, term)) & mask
	for v.slots[slot] != 0 && !v.at(v.slots[slot], term) {
		slot = (slot + 1) & mask
	}
	return slot
}

// at reports whether the token at the offset is term.
func (v *Vocabulary) at(offset uint32, term string) bool {
	rest := v.text[offset:]
	return len(rest) > len(term) && rest[len(term)] == '\n' && string(rest[:len(term)]) == term
}

// grow doubles the table and puts every token in again.
func (v *Vocabulary) grow() {
	if v.text == nil {
		v.seed = maphash.MakeSeed()
		v.text = []byte{'\n'}
	}
	v.slots = make([]uint32, max(1024, 2*len(v.slots)))
	for offset := 1; offset < len(v.text); {
		term := v.text[offset : offset+bytes.IndexByte(v.text[offset:], '\n')]
		v.slots[v.slot(string(term))] = uint32(offset)
		offset += len(term) + 1
	}
}

// An affix says where in a token a needle stands.
type affix struct {
	atStart, atEnd bool
}

// holding returns the tokens that hold the needle where the affix says, at most
// limit of them; more reports that there are others. The needle is of a token's
// runes and not empty.
func (v *Vocabulary) holding(needle string, where affix, limit int) (terms []string, more bool) {
	v.mu.RLock()
	text := v.text
	v.mu.RUnlock()

	pattern := []byte(needle)
	if where.atStart {
		pattern = append([]byte{'\n'}, pattern...)
	}
	if where.atEnd {
		pattern = append(pattern, '\n')
	}
	for at := 0; ; {
		hit := bytes.Index(text[at:], pattern)
		if hit < 0 {
			return terms, false
		}
		if len(terms) == limit {
			return terms, true
		}
		hit += at
		if where.atStart {
			hit++
		}
		from := bytes.LastIndexByte(text[:hit], '\n') + 1
		to := hit + bytes.IndexByte(text[hit:], '\n')
		terms = append(terms, string(text[from:to]))
		at = to // at the "\n", which may be the next token's start
	}
}
