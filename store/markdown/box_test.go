package markdown

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// wholeBoxes are the boxes that goldmark finds in the text as a whole.
func wholeBoxes(text string) (boxes []Box) {
	boxesIn(text, func(at int, label string) {
		boxes = append(boxes, Box{
			N: len(boxes) + 1, Checked: checked(text[at]), Text: label, Line: 1 + strings.Count(text[:at], "\n"), At: at,
		})
	})
	return within(boxes, 1, 1+strings.Count(text, "\n"))
}

func checkParts(t rapid.TB, text string) {
	t.Helper()
	boxes := Boxes(text)
	if want := wholeBoxes(text); !slices.Equal(boxes, want) {
		t.Fatalf("the parts have %+v, the whole %+v, in %q", boxes, want, text)
	}
	open := 0
	for _, b := range boxes {
		if !b.Checked {
			open++
		}
	}
	if n := CountBoxes(text); n.Total != len(boxes) || n.Total-n.Checked != open {
		t.Fatalf("%v counted, %+v listed, in %q", n, boxes, text)
	}
}

// Parsing the sections that may have boxes finds those of the whole text.
func TestPartsHaveTheBoxesOfTheWhole(t *testing.T) {
	bodies := corpora(t)
	for _, body := range bodies {
		checkParts(t, body)
	}
	lines := append(slices.Clone(pieces), "# A", "## B", "- item", "  text", "    indented", "> quoted", "> - [ ] in a quote", "- [ ]", "- [ ] a\n  b\n  ===",
		"```go", "````", "  ```", "- ```", "~~~ `", "``` `", "    ```", "<div>", "</div>", "<!--", "-->", "[a]: /b 'c", "'", "#", "#\tno", "   # in", "1) [X] x", "- - [\t] y", "\t- [ ] t", "| a |\n|---|", "-", "...", "- [ ] one", "* [x] two", "+ [X] three  ", "- [ ] ```", "- [ ] # no", "- [x]: no.md", "- [ ] - [ ] n", "- [ ] > q", "- [ ] ---", "- [x] é", "  ")
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t, bodies)
		if rapid.IntRange(0, 3).Draw(t, "many") > 0 {
			text = strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 0, 16).Draw(t, "lines"), "\n")
		}
		checkParts(t, text)
	})
}

func TestABoxCountIsWrittenAsAFraction(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "",
		"no [ ] box":                        "",
		"- [ ] a":                           "0/1",
		"- [x] a\n  1. [X] b\n  2. [ ] c\n": "2/3",
		"```\n- [ ] a\n```\n- [x] b":        "1/1",
	} {
		if got := CountBoxes(text).String(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
