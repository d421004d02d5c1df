package main

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"

	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// toolQueries are what models search for where a client does not show them all tools, and
// the tools of which one has to be found.
var toolQueries = []struct {
	query string
	want  string
}{
	{"issues", "issues_list"},
	{"issue tracker", "issues_list issues_stats"},
	{"backlog tickets tasks", "issues_list issues_create"},
	{"issues get", "issues_get"},
	{"read issue ISS-000041", "issues_get issues_get_batch"},
	{"show issue details", "issues_get"},
	{"list open issues", "issues_list"},
	{"search issues text", "issues_search"},
	{"create issue", "issues_create"},
	{"new bug ticket", "issues_create"},
	{"update issue status", "issues_update issues_update_batch"},
	{"edit issue", "issues_update issues_edit"},
	{"append note to issue", "issues_edit"},
	{"check boxes", "issues_edit"},
	{"close issue", "issues_mark_complete"},
	{"mark issue complete", "issues_mark_complete"},
	{"claim next issue to work on", "issues_claim"},
	{"delete issue", "issues_delete"},
	{"add label to issue", "issues_labels"},
	{"count issues by status", "issues_stats"},
	{"update several issues at once", "issues_update_batch"},
	{"resume work session checkpoint", "session_get session_checkpoint"},
}

// shownTools is how many tools a search shows in most clients; Codex, which ranks them by
// BM25 over names and descriptions as rankTools does, shows eight.
const shownTools = 5

// Of 21 searches 20 find the tool, whether words are stemmed or not.
func TestToolsAreFoundByTheWordsPeopleUse(t *testing.T) {
	definitions := toolstest.List(t, tools.OutputText, defaultToolsets()...)
	for _, stem := range []bool{false, true} {
		missed := 0
		for _, q := range toolQueries {
			ranked := rankTools(definitions, q.query, stem)
			rank := slices.IndexFunc(ranked, func(name string) bool { return slices.Contains(strings.Fields(q.want), name) })
			if rank < 0 || rank >= shownTools {
				missed++
				t.Logf("stem %t: %q finds %v", stem, q.query, ranked[:min(len(ranked), shownTools)])
			}
		}
		if missed > 1 {
			t.Errorf("stem %t: %d of %d searches miss their tool", stem, missed, len(toolQueries))
		}
	}
}

// The beginning of the instructions is all that some clients show at first.
func TestInstructionsBeginWithWhatTheServerDoes(t *testing.T) {
	instructions := tools.Instructions(defaultToolsets()...)
	for _, word := range []string{"Issue tracker", "search", "read", "create", "update", "close"} {
		if !strings.Contains(instructions[:150], word) {
			t.Errorf("the first 150 characters do not say %q: %s", word, instructions[:150])
		}
	}
	if len(instructions) > 1000 {
		t.Errorf("instructions of %d characters: one client repeats them with each tool", len(instructions))
	}
}

// rankTools returns the tools that share a word with the query, best first.
func rankTools(definitions []toolstest.Definition, query string, stem bool) []string {
	const k1, b = 1.2, 0.75
	texts := make(map[string][]string)
	in := make(map[string]float64) // tools that have a word
	length := 0.0
	for _, d := range definitions {
		texts[d.Name] = toolWords(d.Name+" "+d.Description, stem)
		length += float64(len(texts[d.Name])) / float64(len(definitions))
		for _, word := range slices.Compact(slices.Sorted(slices.Values(texts[d.Name]))) {
			in[word]++
		}
	}
	scores := make(map[string]float64)
	var found []string
	for _, d := range definitions {
		for _, word := range toolWords(query, stem) {
			n := 0.0
			for _, own := range texts[d.Name] {
				if own == word {
					n++
				}
			}
			rarity := math.Log(1 + (float64(len(definitions))-in[word]+0.5)/(in[word]+0.5))
			scores[d.Name] += rarity * n * (k1 + 1) / (n + k1*(1-b+b*float64(len(texts[d.Name]))/length))
		}
		if scores[d.Name] > 0 {
			found = append(found, d.Name)
		}
	}
	slices.SortStableFunc(found, func(a, b string) int { return cmp.Compare(scores[b], scores[a]) })
	return found
}

func toolWords(text string, stem bool) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, word := range words {
		if stem {
			words[i] = strings.TrimSuffix(strings.TrimSuffix(word, "s"), "e")
		}
	}
	return words
}
