package index

import (
	"slices"
	"strings"

	"issues-index/store/pattern"
)

// writtenID is an id as people and models write it in a sentence: `issue #41`, `ISS41`,
// `iss_41`, `#41`.
var writtenID = pattern.Lazy(`^(?i)([a-z]*)[ _#]*([0-9]+)$`)

// kindWords are the prefixes that a word before a number stands for. What people call an
// issue may be any document with the number.
var kindWords = map[string][]string{
	"issue": {"ISS-", ""}, "issues": {"ISS-", ""}, "ticket": {"ISS-", ""},
	"number": {""}, "no": {""}, "id": {""}, "document": {""}, "doc": {""}, "": {""},
	"spec": {"SPEC-"}, "specification": {"SPEC-"}, "idea": {"IDEA-"},
}

// plainIDs are the ids that may be meant, the likeliest first, by one in quotation
// marks, with the ending of a file, with # or with the word for its kind before the
// number, or without its hyphen. The id itself is none of them.
func plainIDs(id string) []string {
	plain := strings.TrimRight(id, ".,;:")
	plain = strings.TrimSpace(strings.Trim(plain, "`'\"()[]<>*"))
	if ending := len(plain) - len(".md"); ending > 0 && strings.EqualFold(plain[ending:], ".md") {
		plain = plain[:ending]
	}
	ids := []string{plain}
	if parts := writtenID().FindStringSubmatch(plain); parts != nil {
		ids = withPrefixes(parts[1], parts[2])
	}
	return slices.DeleteFunc(ids, func(plain string) bool { return plain == "" || plain == id })
}

// withPrefixes are the ids of a number that stands behind a word.
func withPrefixes(word, number string) (ids []string) {
	prefixes, ok := kindWords[strings.ToLower(word)]
	if !ok {
		prefixes = []string{word + "-"}
	}
	for _, prefix := range prefixes {
		ids = append(ids, prefix+number)
	}
	return ids
}
