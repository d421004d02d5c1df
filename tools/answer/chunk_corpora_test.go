package answer

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	markdown "github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// corpora holds real Markdown trees. It lies beside the repository, not in it.
const corpora = "../../../shared/corpora"

// bodies calls f with the text behind the frontmatter of every document of the
// corpora.
func bodies(t *testing.T, f func(name, body string)) {
	t.Helper()
	if _, err := os.Stat(corpora); err != nil {
		t.Skipf("the corpora are not here: %v", err)
	}
	n := 0
	err := filepath.WalkDir(corpora, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".md") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		body := string(data)
		if head, rest, found := strings.Cut(body, "\n---"); found && strings.HasPrefix(head, "---") {
			body = strings.TrimLeft(rest, "-\r\n")
		}
		n++
		f(path, body)
		return nil
	})
	if err != nil || n == 0 {
		t.Fatalf("%d documents, %v", n, err)
	}
}

// A span is a part of a text that belongs together.
type span struct {
	kind       string
	start, end int
}

// blocksOf finds the fenced blocks and list items of a text by another parser.
func blocksOf(body string) []span {
	source := []byte(body)
	var spans []span
	doc := markdown.NewParser(markdown.WithBlockParsers(markdown.DefaultBlockParsers()...)).Parse(text.NewReader(source))
	var extent func(n ast.Node) (start, end int)
	extent = func(n ast.Node) (start, end int) {
		start, end = len(source), 0
		if n.Type() == ast.TypeBlock && n.Lines() != nil {
			for i := range n.Lines().Len() {
				segment := n.Lines().At(i)
				start, end = min(start, segment.Start), max(end, segment.Stop)
			}
		}
		if n.Kind() == ast.KindFencedCodeBlock && end > 0 {
			start = strings.LastIndexByte(body[:max(0, lineOf(body, start)-1)], '\n') + 1
			if line := strings.TrimLeft(body[end:nextLine(body, end)], " >\t"); strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
				end = nextLine(body, end)
			}
		}
		for child := n.FirstChild(); child != nil; child = child.NextSibling() {
			if child.Type() != ast.TypeBlock {
				continue
			}
			from, to := extent(child)
			start, end = min(start, from), max(end, to)
		}
		if kind := n.Kind(); end > 0 && (kind == ast.KindFencedCodeBlock || kind == ast.KindListItem) {
			spans = append(spans, span{kind.String(), lineOf(body, start), nextLine(body, end-1)})
		}
		return start, end
	}
	extent(doc)
	return spans
}

// lineOf returns where the line of an offset begins.
func lineOf(body string, at int) int { return strings.LastIndexByte(body[:at], '\n') + 1 }

// chunksOf cuts a text and returns where its chunks end, after checking what
// holds of every text.
func chunksOf(t failer, body string, limits ChunkLimits) []int {
	t.Helper()
	var ends []int
	c := NewChunker(body, 0, limits)
	for at := 0; at < len(body); {
		end := c.Next()
		if end <= at || end > len(body) {
			t.Fatalf("a chunk of %d bytes runs from %d to %d", len(body), at, end)
		}
		if piece := body[at:end]; !c.spanFits(at, end) && len([]rune(piece)) > 1 && piece != "\r\n" {
			t.Fatalf("the chunk from %d to %d is over %+v", at, end, limits)
		}
		const first = 100 // chunks; each look from the beginning takes its time
		if len(ends) > first {
			ends, at = append(ends, end), end
			continue
		}
		if n := Next(body, at, limits); n != end {
			t.Fatalf("the chunk from %d ends at %d, and at %d when asked for alone", at, end, n)
		}
		ends = append(ends, end)
		at = end
	}
	if n := Count(body, 0, limits); n != len(ends) {
		t.Fatalf("%d chunks, but Count says %d", len(ends), n)
	}
	return ends
}

type failer interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// checkUncut fails the test for every span that fits a chunk, with the space or
// line end behind it, and is cut in two.
func checkUncut(t failer, body string, ends []int, spans []span, limits ChunkLimits) {
	t.Helper()
	c := NewChunker(body, 0, limits)
	for _, s := range spans {
		for _, at := range ends {
			if s.start < at && at < s.end && c.spanFits(withSpaceBefore(body, ends, s.start), behindSpace(body, s.end)) {
				t.Errorf("the %s from %d to %d is cut at %d:\n%q | %q", s.kind, s.start, s.end, at,
					body[max(s.start, at-200):at], body[at:min(s.end, at+200)])
			}
		}
	}
}

// withSpaceBefore returns where the chunk begins that has nothing but space before
// an offset, and the offset itself when there is none: the space behind a sentence
// that fills its chunk is the next one's.
func withSpaceBefore(body string, ends []int, at int) int {
	i, found := slices.BinarySearch(ends, at)
	if i == 0 || found || strings.TrimSpace(body[ends[i-1]:at]) != "" {
		return at
	}
	return ends[i-1]
}

func TestChunksOfRealDocuments(t *testing.T) {
	cuts, clean := 0, 0
	for _, limits := range []ChunkLimits{{2000, 200}, {500, 50}, {100, 1000}} {
		bodies(t, func(name, body string) {
			if Estimate(Escaped(body)) <= limits.Tokens {
				return
			}
			t.Run(filepath.Base(name), func(t *testing.T) {
				ends := chunksOf(t, body, limits)
				checkUncut(t, body, ends, blocksOf(body), limits)
				for _, at := range ends[:len(ends)-1] {
					if cuts++; strings.HasSuffix(body[:at], "\n") {
						clean++
					}
				}
			})
		})
	}
	t.Logf("%d of %d cuts are between lines", clean, cuts)
}
