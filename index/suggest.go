package index

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"issues-index/index/db"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/pattern"
)

// suggest names the ids that were perhaps meant with an id that nothing has: those
// that begin with it, those of the same kind whose number is a slip away, or else
// those of other kinds with its number. Nothing is better than an id that merely
// happens to be the next.
func suggest(ctx context.Context, q db.Querier, id string) ([]string, error) {
	const most = 3
	folded := store.FoldID(id)
	if folded == "" {
		return nil, nil
	}
	near, err := readRows[string](ctx, q, "similar ids", `SELECT id FROM document
		WHERE id_fold >= ?1 AND id_fold < ?1 || char(1114111) ORDER BY id_fold LIMIT 3`, folded)
	if err == nil {
		var slipped []string
		slipped, err = misnumbered(ctx, q, folded)
		near = append(near, slipped...)
	}
	if err == nil && len(near) == 0 {
		near, err = readRows[string](ctx, q, "similar ids", `SELECT DISTINCT id FROM document
			WHERE id_number = ? AND id_number <> '' ORDER BY id LIMIT 3`, idNumber(id))
	}
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	near = slices.DeleteFunc(near, func(other string) bool {
		again := known[other]
		known[other] = true
		return again
	})
	return near[:min(len(near), most)], nil
}

// misnumbered are the ids whose number may have been meant with that at the end of
// an id, the nearest first: of the same kind, or, for a number alone, of any.
func misnumbered(ctx context.Context, q db.Querier, folded string) ([]string, error) {
	const mostRead = 100 // of ids with one of the numbers
	kind := strings.TrimRight(folded, "0123456789")
	slips := slipsOf(folded[len(kind):])
	if len(slips) == 0 {
		return nil, nil
	}
	ids := make([]string, len(slips))
	column := "id_fold"
	if kind == "" {
		column = "id_number"
	}
	for i, number := range slips {
		ids[i] = kind + number
	}
	return readRows[string](ctx, q, "similar ids", `SELECT document.id
		FROM json_each(?) slip CROSS JOIN document ON `+column+` = slip.value
		ORDER BY slip.key, document.id LIMIT `+strconv.Itoa(mostRead), jsonTexts(ids))
}

// slipsOf are the numbers that may have been meant with one: its neighbours; two
// digits exchanged; one too many, or a wrong one near the end, the nearest number
// first. (What begins with it is found as such.) One digit alone has neighbours
// only, or it would be near to every other.
func slipsOf(number string) (slips []string) {
	const (
		longest = 12
		nearEnd = 2 // digits: each one more means nine ids more to look for
	)
	n, err := strconv.Atoi(number)
	if err != nil || len(number) > longest {
		return nil
	}
	var near, edited []int
	add := func(to *[]int, text string) {
		if m, err := strconv.Atoi(text); err == nil {
			*to = append(*to, m)
		}
	}
	near = []int{n - 1, n + 1, n - 2, n + 2}
	for i := 0; i < len(number) && len(number) > 1; i++ {
		before, after := number[:i], number[i+1:]
		if after != "" {
			add(&near, before+after[:1]+number[i:i+1]+after[1:])
		}
		add(&edited, before+after)
		for digit := '0'; digit <= '9' && len(after) < nearEnd; digit++ {
			add(&edited, before+string(digit)+after)
		}
	}
	slices.SortStableFunc(edited, func(a, b int) int { return max(a-n, n-a) - max(b-n, n-b) })
	for _, m := range append(near, edited...) {
		if text := strconv.Itoa(m); m >= 0 && m != n && !slices.Contains(slips, text) {
			slips = append(slips, text)
		}
	}
	return slips
}

// writtenID is an id as people and models write it in a sentence: `issue #41`, `ISS41`,
// `iss_41`, `#41`.
var writtenID = pattern.Lazy(`^(?i)([a-z]*)[ _#]*([0-9]+)$`)

// writtenHash is the same of an id with a hash: `issue k3f9q`, `#k3f9q`.
var writtenHash = pattern.Lazy(`^(?i)([a-z]*)[ _#]+([0-9a-z]+)$`)

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
	plain = withoutEnding(strings.TrimSpace(strings.Trim(plain, "`'\"()[]<>*")))
	ids := []string{plain}
	if parts := writtenID().FindStringSubmatch(plain); parts != nil {
		ids = withPrefixes(parts[1], parts[2])
	} else if parts := writtenHash().FindStringSubmatch(plain); len(parts) > 0 && layout.IsHash(parts[2]) {
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
