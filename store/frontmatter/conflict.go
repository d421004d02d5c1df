package frontmatter

import "strings"

// markerSize is how many characters a marker of a conflict has at least.
const markerSize = 7

// ConflictMarker reads a line as one of those that git leaves around the sides of a
// conflict: mark is '<', '|', '=' or '>', 0 for another line; size is how often it stands
// there, and label is what follows, which '=' has not.
func ConflictMarker(line string) (mark byte, size int, label string) {
	line = strings.TrimRight(line, "\r\n")
	if len(line) < markerSize || !strings.ContainsAny(line[:1], "<|=>") {
		return 0, 0, ""
	}
	rest := strings.TrimLeft(line, line[:1])
	label, spaced := strings.CutPrefix(rest, " ")
	if size = len(line) - len(rest); size < markerSize || rest != "" && (!spaced || line[0] == '=') {
		return 0, 0, ""
	}
	return line[0], size, label
}
