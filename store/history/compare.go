package history

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"issues-index/store"
)

// CompareVersions lists what is different in two versions of a document: their places, whether
// they can be read, and if both can, what they say.
func CompareVersions(before, after *store.Document) (changes []HistoryChange) {
	if before.Path != after.Path {
		changes = []HistoryChange{{Field: Path, From: before.Path, To: after.Path}}
	}
	was, is := unreadable(before), unreadable(after)
	if was != is {
		changes = append(changes, HistoryChange{Field: Frontmatter, From: was, To: is})
	}
	if was == "" && is == "" {
		changes = append(changes, Compare(before, after)...)
	}
	return changes
}

// Compare lists what is different in two versions of a document, both of which can be read.
// The times of changes are left out.
func Compare(before, after *store.Document) (changes []HistoryChange) {
	for _, c := range store.Compare(before, after) {
		if c.Field != "description" {
			changes = append(changes, HistoryChange{Field: c.Field, From: c.Old, To: c.New})
		}
	}
	changes = append(changes, compareKeys(before, after)...)
	return append(changes, compareTexts(before.Body, after.Body)...)
}

// compareKeys compares the keys of the frontmatter that no field of store.FieldChange shows.
func compareKeys(before, after *store.Document) (changes []HistoryChange) {
	was, is := otherKeys(before), otherKeys(after)
	all := maps.Clone(was)
	maps.Copy(all, is)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if was[name] != is[name] {
			changes = append(changes, HistoryChange{Field: name, From: was[name], To: is[name]})
		}
	}
	return changes
}

// otherKeys are the values of such keys: a text as it is, others as JSON.
func otherKeys(doc *store.Document) map[string]string {
	var values map[string]json.RawMessage
	_ = json.Unmarshal(doc.Extra, &values) // there may be none
	keys := map[string]string{}
	for name, value := range values {
		kind := store.LinkKindOf(name)
		if kind == store.WaitsFor || kind == store.Parent {
			continue
		}
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		keys[name] = text
	}
	return keys
}

// unreadable says why the frontmatter of a version cannot be read, "" when it can.
func unreadable(doc *store.Document) string {
	for _, problem := range doc.Problems {
		if problem.Frozen() {
			return cmp.Or(problem.Message, string(problem.Code))
		}
	}
	return ""
}
