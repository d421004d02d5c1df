package store

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

// wholeHeadings are the headings of a text of which nothing is left out.
func wholeHeadings(body string) []Heading {
	source := flatten([]byte(body))
	return headings(blockParser().Parse(text.NewReader(source)), source, []part{{line: 1}})
}

// skeletonHeadings are those that are left in its parts.
func skeletonHeadings(body string) []Heading {
	joined, parts := skeleton(body, 1)
	source := flatten(joined)
	return headings(blockParser().Parse(text.NewReader(source)), source, parts)
}

func TestSkeletonLeavesOutNoHeading(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"# A", "## B", "word", "1. one", "- item", "- ", "-", "---", "===", "> quote", ">", "```", "````", "~~~", "```go", "``` `a", "    code", "\tcode", "  two", "   ```",
		"<div>", "</div>", "<!-- note", "<!-- note -->", "<!-->", "<!--->", "-->", "<pre>", "</pre>", "<?php", "?>", "[a]: /u", "| a | b |", "|---|---|", "* star", "+ plus", "12) twelve", "1234567890. no",
		"      - deep", "  # C", "\r", "    # D", "#", "#no", "a\\", "&amp;", "***", "\u00a0", "\v", "x\f",
	})
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(0, 30).Draw(t, "lines") {
			b.WriteString(piece.Draw(t, "piece"))
			if rapid.IntRange(0, 9).Draw(t, "joined") == 0 {
				b.WriteString(piece.Draw(t, "more"))
			}
			b.WriteString(rapid.SampledFrom([]string{"\n", "\n", "\n\n", "\n\n", "\r\n", "\r\n\r\n", "\n \n", "\n\n\n"}).Draw(t, "end"))
		}
		if body := b.String(); !slices.Equal(skeletonHeadings(body), wholeHeadings(body)) {
			t.Fatalf("%q\n got %+v\nwant %+v", body, skeletonHeadings(body), wholeHeadings(body))
		}
	})
}

func FuzzSkeleton(f *testing.F) {
	f.Add("# A\n\ntext\n\n- item\n\n  ```\n  # B\n  ```\n\nC\n===\n")
	f.Fuzz(func(t *testing.T, body string) {
		if got, want := skeletonHeadings(body), wholeHeadings(body); !slices.Equal(got, want) {
			t.Fatalf("%q\n got %+v\nwant %+v", body, got, want)
		}
	})
}

func TestSkeletonOfRealDocuments(t *testing.T) {
	const corpora = "../../shared/corpora"
	if _, err := os.Stat(corpora); err != nil {
		t.Skipf("the corpora are not here: %v", err)
	}
	all, left := 0, 0
	err := filepath.WalkDir(corpora, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".md") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		body := string(data)
		if got, want := skeletonHeadings(body), wholeHeadings(body); !slices.Equal(got, want) {
			t.Errorf("%s\n got %+v\nwant %+v", path, got, want)
		}
		joined, _ := skeleton(body, 1)
		all, left = all+len(body), left+len(joined)
		return nil
	})
	if err != nil || all == 0 {
		t.Fatal(err)
	}
	t.Logf("%d of %d bytes are read for headings", left, all)
}

// TestSkeletonIsSmall holds that what most texts are made of is left out.
func TestSkeletonIsSmall(t *testing.T) {
	heading := "## A heading\n\n"
	for name, text := range map[string]string{
		"paragraphs":      "Some words.\nMore of them.\n\n",
		"lists":           "- an item\n- another\n  of two lines\n\n",
		"code":            "```go\n# no heading\n```\n\n",
		"code below text": "As here:\n```\n# no heading\n```\n\n",
		"tables":          "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
		"HTML":            "<p>Some\nwords</p>\n\n",
		"comments":        "<!-- one -->\nwords\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			body := strings.Repeat(heading+strings.Repeat(text, 50), 20)
			joined, parts := skeleton(body, 1)
			if len(parts) != 20 || len(joined) > 20*(len(heading)+len(text)) {
				t.Errorf("%d parts with %d of %d bytes", len(parts), len(joined), len(body))
			}
			want := fmt.Sprint(wholeHeadings(body))
			if got := fmt.Sprint(skeletonHeadings(body)); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
