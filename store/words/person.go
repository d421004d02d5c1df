package words

import "strings"

// IsMe reports whether a text stands for who asks.
func IsMe(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	return text == "me" || text == "@me"
}

// Person is the name that a text stands for: that of who asks, as far as it is known, or itself.
func Person(text, me string) string {
	if me != "" && IsMe(text) {
		return me
	}
	return text
}
