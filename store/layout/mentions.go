package layout

import (
	"iter"
	"strings"
)

const (
	// longestTracker is how many letters and digits the name before the hyphen has in ids
	// like PROJ-12.
	longestTracker = 10
	// longestNumber is how many digits a number of an id has.
	longestNumber = 9
	// longestURL is how far before an id the beginning of a web address is looked for.
	longestURL = 2000
)

// Mentions yields where ids stand in a plain text, as the offsets of their first byte and of
// the one behind them: ids with a prefix of this naming in any letter case, with a number or
// a hash, and ids of the form PROJ-12, which documents may have whatever the naming is.
// Whether there is such a document is not known here. What stands in a web address is no
// mention, nor is the id behind the colon of other:ISS-12, which is another repository's.
func (n *Naming) Mentions(text string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		var begins [256]bool // the bytes that a prefix begins with
		prefixed := make([]IDPattern, 0, 3)
		hyphens := true // each id has a hyphen behind its first word
		for _, p := range n.IDs {
			if p.Prefix == "" {
				continue
			}
			prefixed = append(prefixed, p)
			begins[p.Prefix[0]|0x20], begins[p.Prefix[0]&^0x20] = true, true
			word := wordLength(p.Prefix)
			hyphens = hyphens && word < len(p.Prefix) && p.Prefix[word] == '-'
		}
		for i := 0; i < len(text); {
			if hyphens { // which are found in a fraction of the time that words take
				at := strings.IndexByte(text[i:], '-')
				if at < 0 {
					return
				}
				end := i + at
				for at = end; at > i && wordBytes[text[at-1]]; {
					at--
				}
				if i = at; i == end {
					i++
					continue
				}
			} else if !wordBytes[text[i]] {
				i++
				continue
			}
			length := 0
			if begins[text[i]] {
				length = idLength(text[i:], prefixed)
			}
			if length == 0 && text[i] <= 'Z' {
				length = trackerLength(text[i:])
			}
			if length > 0 && beginsWord(text, i) && !inAddress(text[:i]) {
				if !yield(i, i+length) {
					return
				}
				i += length
				continue
			}
			i += wordLength(text[i:])
		}
	}
}

// IDIn is the id that a file's name begins with, or the name itself, which is the id of a
// document without one.
func (n *Naming) IDIn(name string) (id string, begins bool) {
	for start, end := range n.Mentions(name) {
		if start == 0 {
			return name[:end], true
		}
		break
	}
	return name, false
}

// idLength is the length of the id of one of some patterns that a text begins with, 0 when it
// begins with none.
func idLength(text string, patterns []IDPattern) (best int) {
	for _, p := range patterns {
		if len(text) <= len(p.Prefix) || !strings.EqualFold(text[:len(p.Prefix)], p.Prefix) {
			continue
		}
		tail := text[len(p.Prefix):]
		length := numberLength(tail, p.Separator)
		if length == 0 {
			length = hashLength(tail)
		}
		if length > 0 {
			best = max(best, len(p.Prefix)+length)
		}
	}
	return best
}

// trackerLength is the length of an id like PROJ-12 or PROJ-12.1 that a text begins with.
func trackerLength(text string) int {
	name := 0
	isPart := func(at int) bool { return 'A' <= text[at] && text[at] <= 'Z' || at > 0 && isDigit(text[at]) }
	for name < len(text) && name <= longestTracker && isPart(name) {
		name++
	}
	if name < 2 || name > longestTracker || name == len(text) || text[name] != '-' {
		return 0
	}
	if length := numberLength(text[name+1:], "."); length > 0 {
		return name + 1 + length
	}
	return 0
}

// numberLength is the length of the number that a text begins with, and of those of children
// behind separators. It is 0 when the word goes on behind it.
func numberLength(text, separator string) int {
	length := digitRun(text)
	if length == 0 || length > longestNumber {
		return 0
	}
	for separator != "" && strings.HasPrefix(text[length:], separator) {
		more := digitRun(text[length+len(separator):])
		if more == 0 || more > longestNumber {
			break
		}
		length += len(separator) + more
	}
	if !endsWord(text[length:]) {
		return 0
	}
	return length
}

// hashLength is the length of the hash that a text begins with.
func hashLength(text string) (length int) {
	length = wordLength(text)
	if !IsHash(text[:length]) {
		return 0
	}
	return length
}

// wordLength is how many bytes of a word a text begins with.
func wordLength(text string) (length int) {
	for length < len(text) && wordBytes[text[length]] {
		length++
	}
	return length
}

// digitRun is how many digits a text begins with.
func digitRun(text string) int { return len(text) - len(strings.TrimLeft(text, "0123456789")) }

// beginsWord reports whether what stands at an offset is not the rest of a word, nor an id
// behind the name of another repository.
func beginsWord(text string, at int) bool {
	if at > 0 && text[at-1] == ':' {
		at--
	}
	return at == 0 || !wordBytes[text[at-1]]
}

// endsWord reports whether no word goes on with the text.
func endsWord(text string) bool { return text == "" || !wordBytes[text[0]] }

// inAddress reports whether a text ends within a web address.
func inAddress(text string) bool {
	text = text[max(0, len(text)-longestURL):]
	return strings.Contains(text[strings.LastIndexAny(text, " \t\r\n<>()[]\"")+1:], "://")
}

// wordBytes are the bytes that belong to a word of which an id can be a part. Letters beyond
// ASCII do not: Chinese and Japanese put no space before an id.
var wordBytes = func() (all [256]bool) {
	for c := range all {
		all[c] = c == '_' || isLetter(byte(c)) || isDigit(byte(c))
	}
	return all
}()

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
