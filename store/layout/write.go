package layout

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"issues-index/store/words"
	"issues-index/store/yamlfile"
)

// CategoryOfWord is the category that a word for a status tells wherever it is used, Unknown
// for a word that tells none.
func CategoryOfWord(word string) Category {
	usual := Default()
	known, ok := words.Respell(word, usual.StatusNames())
	if !ok {
		known = usual.StatusValues().Synonym(word)
	}
	if known == "" {
		return Unknown
	}
	return usual.CategoryOf(known)
}

// WriteStatuses writes statuses as the items of a list in the workspace's file.
func WriteStatuses(statuses []Status) string {
	rows := make([]string, len(statuses))
	for i, s := range statuses {
		rows[i] = fmt.Sprintf("{name: %s, category: %s}", WriteScalar(s.Name), s.Category)
	}
	return strings.Join(rows, ", ")
}

// WriteScalar writes a text as a value, or as an item of a list, in the workspace's file.
func WriteScalar(text string) string { return yamlfile.Scalar(text, yaml.DoubleQuotedStyle, true) }

// Write writes the keys in which a layout differs from the default one, as a JSON object.
// That is YAML, too: Parse makes the same layout of it.
func (l *Layout) Write() ([]byte, error) {
	own := map[string]any{}
	for _, p := range Properties() {
		data := p.in(l)
		if p.Name == "statuses" && l.OwnStatuses || !reflect.DeepEqual(data, p.Standard()) {
			own[p.Name] = data
		}
	}
	return json.Marshal(own)
}
