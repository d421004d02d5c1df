package toolstest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/tools"
)

// A sentence of so many characters may stand in so many tools at most: what
// more of them need to say belongs into the server's instructions.
const (
	longSentence = 60
	maxTools     = 2
)

var (
	sentenceEnd = regexp.MustCompile(`[.!?;]\s+|\n+`)
	fullStop    = regexp.MustCompile(`[.!?](\s|$)`)
)

// DuplicateSentences returns the long sentences that the descriptions of too
// many tools share, and the tools. It looks at every description in a
// definition, those inside its schemas too, and takes no notice of case, white
// space and the mark at the end.
func DuplicateSentences(definitions []Definition) []string {
	users := make(map[string][]string)
	for _, d := range definitions {
		said := make(map[string]bool)
		for _, description := range descriptions(d.JSON) {
			for _, sentence := range sentenceEnd.Split(description, -1) {
				sentence = strings.ToLower(strings.Join(strings.Fields(strings.TrimRight(sentence, ".!?; ")), " "))
				if len([]rune(sentence)) >= longSentence {
					said[sentence] = true
				}
			}
		}
		for sentence := range said {
			users[sentence] = append(users[sentence], d.Name)
		}
	}
	var duplicates []string
	for _, sentence := range slices.Sorted(maps.Keys(users)) {
		if len(users[sentence]) > maxTools {
			duplicates = append(duplicates, fmt.Sprintf("%q: %s", sentence, strings.Join(users[sentence], ", ")))
		}
	}
	return duplicates
}

// descriptions returns every string under the key description, at any depth.
func descriptions(raw json.RawMessage) []string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return nil
	}
	var found []string
	var walk func(any)
	walk = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			for key, inner := range value {
				if text, ok := inner.(string); ok && key == "description" {
					found = append(found, text)
				}
				walk(inner)
			}
		case []any:
			for _, inner := range value {
				walk(inner)
			}
		}
	}
	walk(value)
	return found
}

// NoDuplicateSentences fails the test for each duplicate sentence of the toolsets.
func NoDuplicateSentences(t *testing.T, sets ...tools.Toolset) {
	t.Helper()
	for _, duplicate := range DuplicateSentences(List(t, tools.OutputBoth, sets...)) {
		t.Errorf("more than %d tools say %s", maxTools, duplicate)
	}
}

// CheckInstructions holds the instructions of a server to the limits of hosts:
// ASCII, not too long, with a lead that stands alone and says these words.
func CheckInstructions(t *testing.T, instructions string, lead ...string) {
	t.Helper()
	for i, b := range []byte(instructions) {
		if b > 126 || b < ' ' && b != '\n' {
			t.Errorf("byte %d of the instructions is %#x, not printable ASCII", i, b)
		}
	}
	if len(instructions) > tools.MaxInstructions {
		t.Errorf("instructions of %d characters, allowed are %d", len(instructions), tools.MaxInstructions)
	}
	end := 0
	for _, at := range fullStop.FindAllStringIndex(instructions, -1) {
		if at[0] < tools.MaxLead {
			end = at[0] + 1
		}
	}
	for _, word := range lead {
		if !strings.Contains(instructions[:end], word) {
			t.Errorf("the sentences that end within %d characters do not say %q", tools.MaxLead, word)
		}
	}
	if secret := regexp.MustCompile(`(?i)password|secret|credential|api.?key|bearer|access token`).FindString(instructions); secret != "" {
		t.Errorf("the instructions speak of a %s", secret)
	}
}
