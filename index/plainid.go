package index

import (
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
// number, or without its hyphen.
func plainIDs(id string) []string {
	plain := strings.TrimRight(id, ".,;:")
	plain = strings.TrimSpace(strings.Trim(plain, "`'\"()[]<>*"))
	if ending := len(plain) - len(".md"); ending > 0 && strings.EqualFold(plain[ending:], ".md") {
		plain = plain[:ending]
	}
	parts := writtenID().FindStringSubmatch(plain)
	if parts == nil {
		return []string{plain}
	}
	prefixes, ok := kindWords[strings.ToLower(parts[1])]
	if !ok {
		prefixes = []string{parts[1] + "-"}
	}
	var ids []string
	for _, prefix := range prefixes {
		ids = append(ids, prefix+parts[2])
	}
	return ids
}
