package history

import (
	"cmp"
	"encoding/json"
	"slices"

	"issues-index/store"
	"issues-index/store/orderedjson"
)

// comparePlaces lists the change of the place of two versions of a document, if there is any.
func comparePlaces(before, after *store.Document) []HistoryChange {
	if before.Path == after.Path {
		return nil
	}
	return []HistoryChange{{Field: Path, From: before.Path, To: after.Path}}
}

// compareVersions lists what is different in two versions of a document besides the place: whether
// they can be read, and if both can, what they say.
func compareVersions(before, after *store.Document) (changes []HistoryChange) {
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
	for _, m := range slices.Concat(was, is) {
		known := slices.ContainsFunc(changes, func(c HistoryChange) bool { return c.Field == m.Name })
		if from, to := was.value(m.Name), is.value(m.Name); from != to && !known {
			changes = append(changes, HistoryChange{Field: m.Name, From: from, To: to})
		}
	}
	return changes
}

// frontmatterKeys are the keys of one version, in the order of the file.
type frontmatterKeys []orderedjson.Member

func otherKeys(doc *store.Document) frontmatterKeys {
	all, err := orderedjson.Parse(doc.Extra)
	if err != nil { // there are none
		return nil
	}
	return slices.DeleteFunc(frontmatterKeys(all), func(m orderedjson.Member) bool {
		kind := store.LinkKindOf(m.Name)
		return kind == store.WaitsFor || kind == store.Parent
	})
}

// value is the value of a key: a text as it is, others as JSON.
func (k frontmatterKeys) value(name string) string {
	i := slices.IndexFunc(k, func(m orderedjson.Member) bool { return m.Name == name })
	if i < 0 {
		return ""
	}
	var text string
	if json.Unmarshal(k[i].Value, &text) != nil {
		return string(k[i].Value)
	}
	return text
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
