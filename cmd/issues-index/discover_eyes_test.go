//go:build !windows

package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// Eyes read one channel of an answer, as a model does that sees no other.
type eyes interface {
	output() tools.Output
	// shown is what of an answer the eyes see.
	shown(answer toolstest.Answer) string
	// total reads a count.
	total(t *testing.T, shown string) int
	// page reads the names of the documents of a list, and the cursor of its next
	// page.
	page(t *testing.T, shown string) (names []string, cursor string)
	// part reads the text of a document, and the cursor of its next part.
	part(t *testing.T, shown string) (text, cursor string)
}

// textEyes see the text alone.
type textEyes struct{}

func (textEyes) output() tools.Output                 { return tools.OutputText }
func (textEyes) shown(answer toolstest.Answer) string { return answer.Text() }

var (
	countLine = regexp.MustCompile(`^(\d+) issues by `)
	listLine  = regexp.MustCompile(`^Showing (\d+) of (\d+) issues\.(?: \d+ more items? match(?:es)?\. Pass cursor '([^']+)' to see next page\.)?`)
	wholeName = regexp.MustCompile(`^(?:'(.+?)' |(\S+))`)
)

func (textEyes) total(t *testing.T, shown string) int {
	t.Helper()
	return number(t, countLine.FindStringSubmatch(shown), 1)
}

func (textEyes) page(t *testing.T, shown string) ([]string, string) {
	t.Helper()
	first := listLine.FindStringSubmatch(shown)
	count := number(t, first, 1)
	if count == 0 {
		return nil, ""
	}
	lines := strings.Split(shown, "\n")[1:]
	var names []string
	if strings.HasPrefix(lines[0], "===") { // whole documents
		for _, document := range toolstest.ReadMarked(shown).Documents {
			found := wholeName.FindStringSubmatch(document.Fields)
			names = append(names, found[1]+found[2])
		}
		return names, first[3]
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, " ") }) // snippets
	for _, row := range lines[:count] {
		found := rowName.FindStringSubmatch(row)
		if found == nil {
			t.Fatalf("a row without a name: %s", headOf(row))
		}
		names = append(names, found[1]+found[2])
	}
	return names, first[3]
}

var chunkLine = regexp.MustCompile(`^Chunk \d+ of \d+ of (?:'.+?'|\S+), lines \d+-\d+ of \d+\.(?: (Pass cursor '([^']+)' with the id to see the next chunk\.))?`)

// part takes the text between the marks. The first line says whether it is a part,
// and how to go on.
func (textEyes) part(t *testing.T, shown string) (string, string) {
	t.Helper()
	documents := toolstest.ReadMarked(shown).Documents
	if len(documents) != 1 {
		t.Fatalf("%d documents: %s", len(documents), headOf(shown))
	}
	if chunk := chunkLine.FindStringSubmatch(shown); chunk != nil {
		return documents[0].Text, chunk[2]
	}
	return documents[0].Text, ""
}

// objectEyes see the structured content alone.
type objectEyes struct{}

func (objectEyes) output() tools.Output                 { return tools.OutputStructured }
func (objectEyes) shown(answer toolstest.Answer) string { return string(answer.Structured) }

func (objectEyes) total(t *testing.T, shown string) int {
	t.Helper()
	return read[struct{ Total int }](t, shown).Total
}

func (objectEyes) page(t *testing.T, shown string) ([]string, string) {
	t.Helper()
	page := read[struct {
		Issues     []struct{ ID, Path string }
		NextCursor string
	}](t, shown)
	var names []string
	for _, issue := range page.Issues {
		name := issue.ID
		if issue.Path != "" {
			name = issue.Path
		}
		names = append(names, name)
	}
	return names, page.NextCursor
}

func (objectEyes) part(t *testing.T, shown string) (string, string) {
	t.Helper()
	part := read[struct {
		Issue      struct{ Description string }
		NextCursor string
	}](t, shown)
	return part.Issue.Description, part.NextCursor
}

func read[A any](t *testing.T, shown string) (answer A) {
	t.Helper()
	if err := json.Unmarshal([]byte(shown), &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func number(t *testing.T, found []string, group int) int {
	t.Helper()
	if found == nil {
		t.Fatal("the first line does not say how much there is")
	}
	n, err := strconv.Atoi(found[group])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
