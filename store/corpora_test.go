package store

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"issues-index/store/frontmatter"
	"issues-index/store/markdown"
	"issues-index/store/storetest"

	"go.yaml.in/yaml/v3"
)

// TestCorpora holds, over real files of four repositories, what is true of every
// document, and counts what is wrong with them: a change of these counts is a
// change of what people see.
func TestCorpora(t *testing.T) {
	for corpus, want := range map[string]map[ProblemCode]int{
		"samjhecht-wrangler": {frontmatter.ProblemIDFilename: 4, frontmatter.ProblemStatusFolder: 38},
		"backlogmd-own":      {frontmatter.ProblemInvalidYAML: 21, frontmatter.ProblemUnknownStatus: 654, frontmatter.ProblemUnknownType: 70}, // assignee: @name, 21 times
		"eips-sample":        {frontmatter.ProblemUnknownStatus: 80, frontmatter.ProblemUnknownType: 54},
		"crlf-sample":        {},
	} {
		t.Run(corpus, func(t *testing.T) {
			got := map[ProblemCode]int{}
			storetest.CorpusFiles(t, corpus, func(name, text string) {
				d := parseFile(name, text)
				checkDocument(t, d, text)
				for _, p := range d.Problems {
					got[p.Code]++
				}
			})
			if !maps.Equal(got, want) {
				t.Errorf("problems are %v, want %v", got, want)
			}
		})
	}
}

// checkDocument holds what is true of every document, whatever the file.
func checkDocument(t testing.TB, d *Document, text string) {
	t.Helper()
	if !strings.HasSuffix(text, d.Body) {
		t.Errorf("%s: the body is no suffix of the file", d.Path)
	}
	if line := 1 + strings.Count(text[:len(text)-len(d.Body)], "\n"); d.BodyLine != line && d.Body != "" {
		t.Errorf("%s: the body is on line %d, not %d", d.Path, line, d.BodyLine)
	}
	if d.ID == "" || d.Title == "" || d.Type == "" || d.Created.IsZero() || d.Updated.IsZero() {
		t.Errorf("%s: %+v", d.Path, d)
	}
	for _, s := range append([]string{d.ID, d.Title, d.Status, d.Priority, d.Assignee, d.Project, d.Parent}, d.Labels...) {
		if !utf8.ValidString(s) || strings.ContainsAny(s, "\n\r\x00") || strings.TrimSpace(s) != s {
			t.Errorf("%s: the field %q", d.Path, s)
		}
	}
	for _, object := range []json.RawMessage{d.Context, d.Extra} {
		var m map[string]any
		if object != nil && json.Unmarshal(object, &m) != nil {
			t.Errorf("%s: no JSON object: %s", d.Path, object)
		}
	}
	for _, p := range d.Problems {
		if p.Message == "" || !utf8.ValidString(p.Message) || p.Line < 0 || p.Line > 1+strings.Count(text, "\n") {
			t.Errorf("%s: the problem %+v", d.Path, p)
		}
	}
}

// TestCorporaAgreeWithYAML compares what we read with a plain decoding of the
// same frontmatter, where that is possible.
func TestCorporaAgreeWithYAML(t *testing.T) {
	for _, corpus := range []string{"samjhecht-wrangler", "backlogmd-own", "eips-sample", "crlf-sample"} {
		t.Run(corpus, func(t *testing.T) {
			storetest.CorpusFiles(t, corpus, func(name, text string) {
				d := parseFile(name, text)
				head := text[:len(text)-len(d.Body)]
				if head == "" {
					return
				}
				var plain struct {
					ID, Title, Status string
				}
				yamlText := strings.TrimSuffix(strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(head, "\ufeff"), "---"), "\r\n"), "---")
				if err := yaml.Unmarshal([]byte(yamlText), &plain); err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				if plain.ID != "" && plain.ID != d.ID || plain.Title != "" && strings.TrimSpace(plain.Title) != d.Title || plain.Status != d.Status {
					t.Errorf("%s: %+v, but %q %q %q", name, plain, d.ID, d.Title, d.Status)
				}
			})
		})
	}
}

// TestCorporaOutlines holds that outlines of real documents stand on heading
// lines, and that sections join to the rest of the document.
func TestCorporaOutlines(t *testing.T) {
	for _, corpus := range []string{"samjhecht-wrangler", "backlogmd-own", "eips-sample", "crlf-sample"} {
		t.Run(corpus, func(t *testing.T) {
			headings := 0
			storetest.CorpusFiles(t, corpus, func(name, text string) {
				body := parseFile(name, text).Body
				outline := markdown.Outline(body)
				headings += len(outline)
				for i, h := range outline {
					line := markdown.Lines(body, h.Line, h.Line)
					next := markdown.Lines(body, h.Line+1, h.Line+1)
					if !strings.Contains(line, "#") && !strings.ContainsAny(next, "-=") {
						t.Errorf("%s: %+v stands on %q", name, h, line)
					}
					if i == len(outline)-1 && h.EndLine != markdown.LineCount(body) {
						t.Errorf("%s: the last section ends on line %d of %d", name, h.EndLine, markdown.LineCount(body))
					}
				}
			})
			t.Logf("%d headings", headings)
		})
	}
}
