package answer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	closers = "\"')]}*_`’”»」』）】〉》"
	openers = "\"'([{*_`‘“«「『（【〈《"
)

// lastSentence returns where the last sentence ends between two offsets of a text, 0
// when none does: behind its mark, what closes with it, the spaces after it and one line
// end.
func lastSentence(text string, from, to int) int {
	last := 0
	for at := from; at < to; {
		r, width := utf8.DecodeRuneInString(text[at:])
		mark := at
		at += width
		switch r {
		case '。', '！', '？', '｡':
			at = skip(text, at, "。！？｡"+closers)
		case '.', '!', '?', '…':
			at = skip(text, at, ".!?…"+closers)
			if at < len(text) && !strings.ContainsRune(" \t\r\n", rune(text[at])) || r == '.' &&
				abbreviates(text[max(from, mark-maxAbbreviation):mark]) {
				continue
			}
		default:
			continue
		}
		for at < len(text) && strings.IndexByte(" \t\r", text[at]) >= 0 {
			at++
		}
		if at < len(text) && text[at] == '\n' {
			at++
		}
		next, _ := utf8.DecodeRuneInString(text[skip(text, at, " \t"+openers):])
		if at <= to && !(unicode.IsLower(next) && r < utf8.RuneSelf) {
			last = at
		}
	}
	return last
}

// skip returns the offset behind the characters of a set.
func skip(text string, at int, set string) int {
	const most = 64 // bytes; no sentence ends with a longer run of marks
	for stop := at + most; at < len(text) && at < stop; {
		r, width := utf8.DecodeRuneInString(text[at:])
		if !strings.ContainsRune(set, r) || r == utf8.RuneError {
			break
		}
		at += width
	}
	return at
}

// maxAbbreviation is the length in bytes of what a full stop may abbreviate.
const maxAbbreviation = 12

var abbreviations = []string{
	"al", "approx", "bzw", "ca", "cf", "dept", "dr", "ed", "eq", "fig", "figs", "inc", "jr", "ltd", "max", "min",
	"mr", "mrs", "ms", "no", "nos", "nr", "pp", "prof", "resp", "sec", "sr", "st", "vgl", "viz", "vol", "vs",
}

// abbreviates reports whether a full stop behind this text does not end a sentence: it
// follows an abbreviation, an initial or the number of a list item.
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
		// e.g., i.e., U.S.
		return !slices.ContainsFunc(strings.Split(word, "."), func(part string) bool { return len(part) > 2 })
	}
	return slices.Contains(abbreviations, strings.ToLower(word))
}
