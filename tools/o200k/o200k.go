// Package o200k counts the tokens of texts by the vocabulary o200k_base, which many
// models use.
//
// It knows nothing about what is counted. Its invariants: the vocabulary is linked
// compressed and read on the first count, so that a program that counts nothing pays
// neither time nor memory for it; a count takes time in proportion to the text,
// whatever the text is; and no text makes it fail.
package o200k

import (
	"compress/zlib"
	_ "embed"
	"io"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"issues-index/store/pattern"
)

// packed has the tokens in the order of their ranks: the number of a token's bytes in one
// byte, then these bytes, all compressed. TestVocabulary writes it.
//
//go:embed o200k_base.zlib
var packed string

// tokens is how many tokens the vocabulary has.
const tokens = 199_998

// ranks maps each token to its rank. It takes 9 MB, and 30 ms to make.
var ranks = sync.OnceValue(func() map[string]uint32 {
	unpacked, err := zlib.NewReader(strings.NewReader(packed))
	if err != nil {
		panic(err) // it is part of the program
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		panic(err)
	}
	ranks := make(map[string]uint32, tokens)
	for rest := string(data); rest != ""; {
		end := 1 + int(rest[0])
		ranks[rest[1:end]] = uint32(len(ranks))
		rest = rest[end:]
	}
	return ranks
})

// pieces matches what is counted on its own: a word, three digits, punctuation, space. It
// is the expression of o200k_base without its last but one alternative, \s+(?!\S), which
// package regexp does not have and piece makes up for.
var pieces = pattern.Lazy(strings.ReplaceAll(strings.Join([]string{
	`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
	`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
	`\p{N}{1,3}`,
	` ?[^SPACE\p{L}\p{N}]+[\r\n/]*`,
	`[SPACE]*[\r\n]+`,
	`[SPACE]+`,
}, "|"), "SPACE", `\s\v\x{85}\p{Z}`))

// Count returns the number of tokens of a text. A run of letters or signs of more than
// maxPiece bytes is counted in parts, so that the number may be too large by one for each
// part.
func Count(text string) int {
	n := 0
	for text != "" {
		next := piece(text)
		text = text[len(next):]
		for len(next) > maxPiece {
			n += merged(next[:maxPiece])
			next = next[maxPiece:]
		}
		n += merged(next)
	}
	return n
}

// maxPiece limits what is counted at once, in bytes: merging takes time in proportion to
// its square.
const maxPiece = 1024

// piece returns the first piece of a text. The last space before a word belongs to the
// word.
func piece(text string) string {
	end := pieces().FindStringIndex(text)[1]
	last, size := utf8.DecodeLastRuneInString(text[:end])
	if size < end && end < len(text) && unicode.IsSpace(last) && last != '\r' && last != '\n' {
		end -= size
	}
	return text[:end]
}

// merged returns the number of tokens of a piece: of its parts, at first single bytes, the
// first two neighbours whose union has the lowest rank become one, until no union is a
// token.
func merged(piece string) int {
	ranks := ranks()
	if _, ok := ranks[piece]; ok {
		return 1
	}
	type part struct{ start, rank uint32 } // rank of it and the next one
	parts := make([]part, len(piece)+1)
	rank := func(i int) uint32 {
		if i+2 < len(parts) {
			if rank, ok := ranks[piece[parts[i].start:parts[i+2].start]]; ok {
				return rank
			}
		}
		return math.MaxUint32
	}
	for i := range parts {
		parts[i].start = uint32(i)
	}
	for i := range parts {
		parts[i].rank = rank(i)
	}
	for {
		lowest := 0
		for i := range parts {
			if parts[i].rank < parts[lowest].rank {
				lowest = i
			}
		}
		if parts[lowest].rank == math.MaxUint32 {
			return len(parts) - 1
		}
		parts = append(parts[:lowest+1], parts[lowest+2:]...)
		parts[lowest].rank = rank(lowest)
		if lowest > 0 {
			parts[lowest-1].rank = rank(lowest - 1)
		}
	}
}
