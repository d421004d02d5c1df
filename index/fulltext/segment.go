package fulltext

import (
	"bytes"
	"unicode/utf8"
)

// A segment is a run of letters, or of unspaced runes, in a needle. Where the
// needle occurs in a text, the segment is a part of one of the text's runs: all
// of it up to any side at which something else stands in the needle.
type segment struct {
	text  string
	runes int
	class class
	// ends says at which sides the text's run ends with the segment.
	ends affix
}

// cut returns the segments of a folded needle.
func cut(needle []byte) []segment {
	var segments []segment
	var current segment
	start := 0
	flush := func(end int) {
		if current.class != separator {
			current.text = string(needle[start:end])
			current.ends = affix{atStart: start > 0, atEnd: end < len(needle)}
			segments = append(segments, current)
		}
		current = segment{}
		start = end
	}
	for i := 0; i < len(needle); {
		r, size := utf8.DecodeRune(needle[i:])
		if _, class := look(r); class != current.class {
			flush(i)
			current.class = class
		}
		current.runes++
		i += size
	}
	flush(len(needle))
	return segments
}

// wordsOf returns the tokens of a text that has the needle as whole words; open
// reports that of the last one only the beginning is known. Unspaced runes are
// whole words wherever they occur, so that the token that a run of them ends
// with is not asked for.
func wordsOf(needle []byte, segments []segment) (words []byte, open bool) {
	words = Feed(nil, string(needle))
	if len(segments) == 0 {
		return words, false
	}
	switch last := segments[len(segments)-1]; {
	case last.class == unspaced && last.runes == 1:
		open = true
	case last.class == unspaced:
		words = words[:bytes.LastIndexByte(words, ' ')]
	}
	return words, open
}

// piece returns a part of a long segment that one window holds whole, and where
// it stands in that window.
func (s segment) piece() (string, affix) {
	runes := []rune(s.text)
	if s.ends.atEnd && !s.ends.atStart {
		return string(runes[len(runes)-windowOverlap-1:]), affix{atEnd: true}
	}
	return string(runes[:windowOverlap+1]), affix{atStart: s.ends.atStart}
}
