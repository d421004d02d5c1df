package terminal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"issues-index/store/words"
)

// OneLine replaces line ends and control characters by blanks, and leaves out what is hidden. A
// document's title may contain some that would control the terminal.
func OneLine(s string) string {
	s = words.Shown(s)
	if strings.IndexFunc(s, Unprintable) < 0 && utf8.ValidString(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if Unprintable(r) {
			return ' '
		}
		return r
	}, s)
}

// Harmless replaces control characters in a text of several lines, and leaves out what is
// hidden. Line ends and tabs stay.
func Harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if Unprintable(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, words.Shown(s))
}

// Unprintable reports whether r is a control character or changes the direction of text.
func Unprintable(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0x2028 || r == 0x2029
}

// Cut shortens s to width columns, ending with … when something is missing. Unlike
// words.Cut it counts columns of the terminal.
func Cut(s string, width int) string {
	if uniseg.StringWidth(s) <= width {
		return s
	}
	if width <= 0 {
		return ""
	}
	used, end, state := 0, 0, -1
	for rest := s; rest != ""; {
		cluster, tail, w, next := uniseg.FirstGraphemeClusterInString(rest, state)
		if used+w > width-1 {
			break
		}
		used, end, rest, state = used+w, end+len(cluster), tail, next
	}
	return s[:end] + "…"
}

// Reflowed wraps the paragraphs of a text, except those with an indented line.
func Reflowed(text string, width int) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, paragraph := range paragraphs {
		if strings.HasPrefix(paragraph, " ") || strings.Contains(paragraph, "\n ") {
			continue
		}
		var lines []string
		for _, word := range strings.Fields(paragraph) {
			if last := len(lines) - 1; last >= 0 && uniseg.StringWidth(lines[last]+" "+word) <= width {
				lines[last] += " " + word
			} else {
				lines = append(lines, word)
			}
		}
		paragraphs[i] = strings.Join(lines, "\n")
	}
	return strings.Join(paragraphs, "\n\n")
}

// EscapeControls escapes the characters that could control a terminal and that JSON allows
// unescaped. They occur only in strings.
func EscapeControls(json string) string {
	control := func(r rune) bool { return r >= 0x7f && Unprintable(r) }
	if strings.IndexFunc(json, control) < 0 {
		return json
	}
	var out strings.Builder
	for _, r := range json {
		if control(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}
