package answer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// insideProse considers the places to cut in a paragraph that does not fit: the
// ends of its sentences and of lines that stand for themselves, and line ends
// inside a sentence that does not fit. It reports whether the line at end must
// be cut wherever that is.
func (c *Chunker) insideProse(prose *unit, begin, end int, consider func(at int, r rank)) bool {
	for prose.end < 0 && c.blocks.lastText <= end+c.bytes() && c.blocks.step() {
	}
	from, to := max(prose.start, begin), min(len(c.text), end+c.bytes())
	if prose.end >= 0 {
		to = min(to, prose.end)
	}
	ends := c.separateEnds(from, to)
	for _, at := range ends {
		if c.blocks.startsLine(at) {
			consider(at, lineEnd)
		} else {
			consider(at, sentence)
		}
	}
	// whole reports whether the sentence around an offset fits a chunk.
	known, fits := -1, false
	whole := func(at int) bool {
		i, exactly := slices.BinarySearch(ends, at)
		if exactly {
			return false
		}
		if i != known {
			first, last := from, to
			if i > 0 {
				first = ends[i-1]
			}
			if i < len(ends) {
				last = ends[i]
			}
			known, fits = i, c.spanFits(first, last)
		}
		return fits
	}
	for _, l := range c.blocks.lines {
		if l.start > begin && l.start <= end && l.inside == prose && !l.row && !whole(l.start) {
			consider(l.start, wrapped)
		}
	}
	return !c.lineFits(begin, end) && !whole(end)
}

// separateEnds returns where the sentences and the lines that stand for
// themselves end between two offsets. Such a line that fits a chunk is one
// sentence.
func (c *Chunker) separateEnds(from, to int) []int {
	sentences := sentenceEnds(c.text, from, to)
	var ends []int
	lines := c.blocks.lines
	for i, l := range lines {
		stop := c.blocks.pos
		if i+1 < len(lines) {
			stop = lines[i+1].start
		}
		if stop <= from {
			continue
		}
		if l.start >= to {
			break
		}
		if l.row && l.start > from {
			ends = append(ends, l.start)
		}
		alone := l.row && c.spanFits(max(l.start, from), stop)
		for len(sentences) > 0 && sentences[0] <= stop {
			if at := sentences[0]; !alone || at == stop {
				ends = append(ends, at)
			}
			sentences = sentences[1:]
		}
	}
	return slices.Compact(ends)
}

// startsLine reports whether one of the lines read begins at an offset.
func (s *scanner) startsLine(at int) bool { return s.lines[s.index(at)].start == at || at == s.pos }

const (
	closers = "\"')]}*_`’”»」』）】〉》"
	openers = "\"'([{*_`‘“«「『（【〈《"
)

// sentenceEnds returns where sentences end between two offsets of a text: behind
// their mark, what closes with it, the spaces after it and one line end.
func sentenceEnds(text string, from, to int) []int {
	var ends []int
	for at := from; at < to; {
		r, width := rune(text[at]), 1
		if r >= utf8.RuneSelf {
			r, width = utf8.DecodeRuneInString(text[at:])
		}
		mark := at
		at += width
		switch r {
		case '\n':
			if line := strings.TrimSuffix(text[from:mark], "\r"); strings.HasSuffix(line, "  ") || strings.HasSuffix(line, `\`) {
				ends = append(ends, at)
			}
			continue
		case '。', '！', '？', '｡':
			at = skip(text, at, "。！？｡"+closers)
		case '.', '!', '?', '…':
			at = skip(text, at, ".!?…"+closers)
			if at < len(text) && !strings.ContainsRune(" \t\r\n", rune(text[at])) || r == '.' && abbreviates(text[max(from, mark-maxAbbreviation):mark]) {
				continue
			}
		default:
			continue
		}
		at = behindSpace(text, at)
		if next, _ := utf8.DecodeRuneInString(text[skip(text, at, " \t"+openers):]); at <= to && !(unicode.IsLower(next) && r < utf8.RuneSelf) {
			ends = append(ends, at)
		}
	}
	return ends
}

// skip returns the offset behind the characters of a set.
func skip(text string, at int, set string) int {
	const most = 64 // bytes; a longer run of marks is no sentence's
	for stop := at + most; at < len(text) && at < stop; {
		r, width := utf8.DecodeRuneInString(text[at:])
		if !strings.ContainsRune(set, r) || r == utf8.RuneError {
			break
		}
		at += width
	}
	return at
}

// behindSpace returns the offset behind spaces and one line end.
func behindSpace(text string, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r') {
		at++
	}
	if at < len(text) && text[at] == '\n' {
		at++
	}
	return at
}

// maxAbbreviation is the length in bytes of what a full stop may abbreviate.
const maxAbbreviation = 12

var abbreviations = []string{
	"al", "approx", "bzw", "ca", "cf", "dept", "dr", "ed", "eq", "fig", "figs", "inc", "jr", "ltd", "max", "min",
	"mr", "mrs", "ms", "no", "nos", "nr", "pp", "prof", "resp", "sec", "sr", "st", "vgl", "viz", "vol", "vs",
}

// abbreviates reports whether a full stop behind this text ends no sentence: it
// stands behind an abbreviation, an initial or the number of a list item.
func abbreviates(before string) bool {
	word := before[strings.LastIndexAny(before, " \t\n\"'([*_")+1:]
	lineStart := len(word) == len(before) || before[len(before)-len(word)-1] == '\n'
	switch {
	case word == "" || len(word) == maxAbbreviation:
		return false
	case len(word) == 1 && unicode.IsLetter(rune(word[0])):
		return true
	case lineStart && strings.Trim(word, "0123456789") == "":
		return true
	case strings.Contains(word, ".") && strings.Trim(strings.ToLower(word), "abcdefghijklmnopqrstuvwxyz.") == "":
		return longestPart(word) <= 2 // e.g., i.e., U.S.
	}
	return slices.Contains(abbreviations, strings.ToLower(word))
}

func longestPart(word string) int {
	longest := 0
	for part := range strings.SplitSeq(word, ".") {
		longest = max(longest, len(part))
	}
	return longest
}
