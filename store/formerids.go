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
	extra, _ := orderedjson.Parse(d.Extra) // there may be no other keys
	value := extra.Get(FormerIDsKey)
	if json.Unmarshal(value, &ids) != nil {
		var one string
		_ = json.Unmarshal(value, &one) // what is no id is none
		ids = []string{one}
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return strings.TrimSpace(id) == "" })
	return ids[:min(len(ids), most)]
}
