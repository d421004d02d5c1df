package main

import (
	"regexp"
	"strings"
)

// searched matches the words of a query where they stand in a snippet; nil for no
// query. It is for the eye: what the index finds besides, a letter without its
// accent for one, does not stand out.
func searched(query string) *regexp.Regexp {
	var words []string
	for word := range strings.FieldsSeq(strings.ReplaceAll(query, `"`, " ")) {
		if word == "OR" || strings.HasPrefix(word, "-") {
			continue
		}
		for _, field := range []string{"title:", "label:", "labels:", "description:"} {
			word = strings.TrimPrefix(word, field)
		}
		if word != "" {
			words = append(words, regexp.QuoteMeta(word))
		}
	}
	if len(words) == 0 {
		return nil
	}
	marks, err := regexp.Compile("(?i)" + strings.Join(words, "|"))
	if err != nil {
		return nil // too long for a pattern, and then for the eye
	}
	return marks
}

// marked is a dim text in which something stands out.
func (s screen) marked(text string, marks *regexp.Regexp) string {
	if marks == nil {
		return s.paint(dim, text)
	}
	var out strings.Builder
	end := 0
	for _, match := range marks.FindAllStringIndex(text, -1) {
		out.WriteString(s.paint(dim, text[end:match[0]]) + s.paint(bold, text[match[0]:match[1]]))
		end = match[1]
	}
	return out.String() + s.paint(dim, text[end:])
}
