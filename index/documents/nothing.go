package documents

import (
	"context"
	"fmt"
	"strings"

	"issues-index/index"
	"issues-index/store/words"
)

// filterFields are the fields of a filter that a qualifier such as state:open in a search means, ""
// for a qualifier that no filter has. A search itself understands title, label and labels.
var filterFields = map[string]string{
	"is": "status", "status": "status", "state": "status", "priority": "priority", "type": "type",
	"assignee": "assignee", "project": "project", "parent": "parent", "parenttaskid": "parent",
	"created": "createdAfter", "created-after": "createdAfter", "created-before": "createdBefore",
	"updated": "updatedAfter", "closed": "closedAfter", "tag": "labels", "tags": "labels",
	"sort": "", "in": "", "no": "", "author": "", "milestone": "",
}

// searchFields are those that a word of a search can be limited to.
var searchFields = []string{"title", "label", "labels", "description"}

// A Qualifier is a word of a search, such as status:open, that was taken for text.
type Qualifier struct {
	Word, Value string // whole, and behind the colon
	Filter      string // the field of a filter that does what was meant, "" where none does
	Rest        string // the search without the word
}

// MissedQualifier says which word of a search was taken for text although it looks like a filter or a
// misspelt field, and what to write instead; "" where none was. advice is what its reader does instead
// of a qualifier.
func MissedQualifier(text string, advice func(Qualifier) string) string {
	for word := range strings.FieldsSeq(text) {
		field, value, _ := strings.Cut(strings.TrimPrefix(word, "-"), ":")
		value = strings.Trim(value, `"`)
		if value == "" || strings.HasPrefix(value, "/") { // an address
			continue
		}
		taken := words.Plain(word) + " was searched as text: "
		if filter, known := filterFields[strings.ToLower(field)]; known {
			return taken + advice(Qualifier{word, value, filter, words.OneLine(strings.Replace(text, word, "", 1))})
		}
		if near := words.Nearest(field, searchFields); near != "" && !strings.EqualFold(near, field) {
			return taken + "did you mean " + near + ":" + words.Plain(value) + "?"
		}
	}
	return ""
}

// Misspelt says which words of a search no document has, and which were probably meant; "" for none.
func Misspelt(ctx context.Context, ix *index.Index, text string) (string, error) {
	near, err := ix.NearWords(ctx, text)
	said := make([]string, len(near))
	for i, one := range near {
		said[i] = fmt.Sprintf("No document has the word %s; did you mean %s?", words.Plain(one.Word), words.Plain(one.Near))
	}
	return strings.Join(said, " "), err
}
