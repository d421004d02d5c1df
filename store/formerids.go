package store

import (
	"encoding/json"
	"slices"
	"strings"

	"issues-index/store/orderedjson"
)

// FormerIDsKey is the key of the ids that a document had before the one it has.
const FormerIDsKey = "formerIds"

// FormerIDs are the ids that a document says it had, 20 at most.
func (d *Document) FormerIDs() (ids []string) {
	const most = 20
	extra, err := orderedjson.Parse(d.Extra)
	if err != nil { // there are no other keys
		return nil
	}
	for _, m := range extra {
		if m.Name == FormerIDsKey && json.Unmarshal(m.Value, &ids) != nil {
			var one string
			_ = json.Unmarshal(m.Value, &one) // what is no id is none
			ids = []string{one}
		}
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return strings.TrimSpace(id) == "" })
	return ids[:min(len(ids), most)]
}
