package issues

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/store/markdown"
	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// chunked is one chunk as an agent gets it in either channel.
type chunked struct {
	issueAnswer
	text string
}

// inText is the chunk's text in the text channel.
func (c chunked) inText() string { return toolstest.ReadMarked(c.text).Documents[0].Text }

// readOn calls issues_get and follows its cursors to the end.
func readOn(t *testing.T, f fixture, arguments map[string]any) []chunked {
	t.Helper()
	var chunks []chunked
	arguments = maps.Clone(arguments)
	for {
		reply := f.Call(t, "issues_get", arguments)
		if reply.IsError {
			t.Fatalf("%v: %s", arguments, reply.Text())
		}
		var c chunked
		if err := json.Unmarshal(reply.Structured, &c.issueAnswer); err != nil {
			t.Fatal(err)
		}
		c.text = reply.Text()
		tokens, _ := arguments["maxTokens"].(int)
		budget := answer.Defaults().Budget("issues_get", tokens)
		for channel, text := range map[string]string{"text": c.text, "structured": string(reply.Structured)} {
			if !budget.Holds(text) {
				t.Errorf("%v: %s is %+v, over %+v", arguments, channel, answer.Measure(text), budget)
			}
		}
		if i := len(chunks); c.ChunkIndex != nil && *c.ChunkIndex != i || c.TotalChunks != 0 && i >= c.TotalChunks {
			t.Fatalf("chunk %d of %d comes as number %d", *c.ChunkIndex, c.TotalChunks, i)
		}
		chunks = append(chunks, c)
		if c.NextCursor == "" {
			return chunks
		}
		if !strings.Contains(c.text, "'"+c.NextCursor+"'") || !strings.Contains(c.Note, "'"+c.NextCursor+"'") {
			t.Errorf("the cursor %s is not in both channels", c.NextCursor)
		}
		arguments = map[string]any{"id": arguments["id"], "cursor": c.NextCursor}
		if tokens > 0 {
			arguments["maxTokens"] = tokens
		}
	}
}

// joins fails the test unless chunks join to a text in both channels, and say
// where they stand in the body.
func joins(t *testing.T, chunks []chunked, body, want string) {
	t.Helper()
	var structured, text strings.Builder
	offset := strings.Index(body, want)
	for _, c := range chunks {
		structured.WriteString(*c.Issue.Description)
		text.WriteString(c.inText())
		if c.ChunkIndex == nil {
			continue
		}
		start := 1 + strings.Count(body[:offset], "\n")
		end := start + strings.Count(strings.TrimSuffix(*c.Issue.Description, "\n"), "\n")
		offset += len(*c.Issue.Description)
		if c.StartLine != start || c.EndLine != end || c.TotalLines != markdown.LineCount(body) {
			t.Errorf("a chunk of lines %d to %d says %d to %d of %d", start, end, c.StartLine, c.EndLine, c.TotalLines)
		}
		if c.TotalChunks != len(chunks) {
			t.Errorf("%d chunks, of %d", len(chunks), c.TotalChunks)
		}
	}
	if structured.String() != want {
		t.Errorf("the chunks do not join to the text of %d bytes: %d bytes", len(want), structured.Len())
	}
	if text.String() != want {
		t.Errorf("the chunks in the text channel do not join to the text of %d bytes: %d bytes", len(want), text.Len())
	}
}

// longBody has sections, lists and code over several chunks.
func longBody() string {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "## Part %d\n\n", i+1)
		for j := range 5 {
			fmt.Fprintf(&b, "Sentence %d of the part, with some words. Another one follows it here.\n\n- item %d\n  goes on\n- item two\n\n", j, j)
			fmt.Fprintf(&b, "### Deep %d.%d\n\n```go\nfunc f() {\n\n\treturn \"<&>\"\n}\n```\n\n", i+1, j)
		}
	}
	return "# Title\n\nIntro.\n\n" + b.String()
}

func TestLongDocument(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	body := longBody()
	const file = ".wrangler/issues/ISS-000001-a.md"
	front := "---\nid: ISS-000001\ntitle: A long one\nstatus: open\nlabels: [a, b]\nassignee: someone\n---\n"
	toolstest.Write(t, root, file, front+body)
	toolstest.Write(t, root, ".wrangler/issues/ISS-000002-b.md", "---\nid: ISS-000002\ntitle: B\n---\n"+body)
	line := strings.Repeat("word after word and no end, ", 15_000)
	toolstest.Write(t, root, ".wrangler/issues/ISS-000003-c.md", "---\nid: ISS-000003\ntitle: C\n---\n"+line)
	far := strings.Repeat("far and ", 10) + "away"
	toolstest.Write(t, root, ".wrangler/issues/d.md", "---\nid: "+far+"\ntitle: D\n---\n"+body)
	f := serve(t, root)
	first := func(t *testing.T) chunked { return readOn(t, f, map[string]any{"id": "ISS-000001"})[0] }

	t.Run("the first chunk has the fields, an outline and its place", func(t *testing.T) {
		c := first(t)
		if c.Issue.Title != "A long one" || c.Issue.Status != "open" || c.Issue.Assignee != "someone" || len(*c.Issue.Labels) != 2 || c.Issue.Path != file {
			t.Errorf("got %+v", c.Issue)
		}
		if c.Outline[0] != fmt.Sprintf("1-%d # Title", c.TotalLines) || c.Outline[1] != "5-81 ## Part 1" || !strings.Contains(c.text, "\n5-81 ## Part 1\n") {
			t.Errorf("outline %q", c.Outline)
		}
		if last := c.Outline[len(c.Outline)-1]; last != "and 150 more headings" {
			t.Errorf("the deeper headings are not left out first: %q", last)
		}
		want := fmt.Sprintf("Chunk 1 of %d of ISS-000001, lines 1-%d of %d. Pass cursor '%s' with the id to see the next chunk. Or pass section (a heading), startLine and endLine, or maxTokens (up to 25000) for larger chunks.\n",
			c.TotalChunks, c.EndLine, c.TotalLines, c.NextCursor)
		if !strings.HasPrefix(c.text, want) {
			t.Errorf("got %s\nwant %s", c.text[:300], want)
		}
		if len(c.NextCursor) > 24 || strings.Trim(c.NextCursor, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			t.Errorf("cursor %q", c.NextCursor)
		}
	})
	t.Run("a name that is cut is in quotes to its end", func(t *testing.T) {
		c := readOn(t, f, map[string]any{"id": far})[0]
		if cut := " of '" + far[:76]; !strings.Contains(c.text, cut) || !strings.Contains(c.text, "…', lines 1-") {
			t.Errorf("got %s", c.text[:200])
		}
	})
	t.Run("the others have the chunk, and of the rest the name", func(t *testing.T) {
		chunks := readOn(t, f, map[string]any{"id": "ISS-000001"})
		if c := chunks[1]; c.Issue.Title != "A long one" || c.Issue.Status != "" || c.Issue.Labels != nil || c.Outline != nil {
			t.Errorf("got %+v", c)
		}
		last := chunks[len(chunks)-1]
		if last.NextCursor != "" || last.Note != "" || strings.Contains(last.text, "cursor") {
			t.Errorf("the last chunk says how to go on: %s", last.Note)
		}
	})
	for _, tokens := range storetest.FewOf([]int{0, 1, 300, 1000, 4000, 8000, 25000}, 2) {
		t.Run(fmt.Sprintf("chunks join to the text with maxTokens %d", tokens), func(t *testing.T) {
			arguments := map[string]any{"id": "ISS-000001"}
			if tokens > 0 {
				arguments["maxTokens"] = tokens
			}
			joins(t, readOn(t, f, arguments), body, body)
		})
	}
	t.Run("one long line is cut inside", func(t *testing.T) {
		chunks := readOn(t, f, map[string]any{"id": "ISS-000003", "maxTokens": 25000})
		joins(t, chunks, line, line)
		if c := chunks[1]; c.StartLine != 1 || c.EndLine != 1 || !strings.HasSuffix(*c.Issue.Description, " ") {
			t.Errorf("lines %d to %d", c.StartLine, c.EndLine)
		}
	})
	t.Run("a section and lines are exactly those, in chunks", func(t *testing.T) {
		part := markdown.Lines(body, 5, 81)
		joins(t, readOn(t, f, map[string]any{"id": "ISS-000001", "section": "Part 1", "maxTokens": 500}), body, part)
		joins(t, readOn(t, f, map[string]any{"id": "ISS-000001", "startLine": 5, "endLine": 81, "maxTokens": 500}), body, part)
		joins(t, readOn(t, f, map[string]any{"id": "ISS-000001", "startLine": 100, "endLine": 1500}), body, markdown.Lines(body, 100, 1500))
		joins(t, readOn(t, f, map[string]any{"id": "ISS-000001", "startLine": 200}), body, markdown.Lines(body, 200, 1<<30))
	})
	t.Run("a cursor may come with what it was made with", func(t *testing.T) {
		arguments := map[string]any{"id": "ISS-000001", "section": "Part 1", "maxTokens": 500}
		arguments["cursor"] = readOn(t, f, arguments)[0].NextCursor
		toolstest.Must[issueAnswer](t, f.Client, "issues_get", arguments)
		arguments["section"] = "Part 2"
		text := f.Refused(t, tools.CodeInvalidCursor, "issues_get", arguments)
		if !strings.Contains(text, "another section") {
			t.Errorf("got %s", text)
		}
	})
	t.Run("a cursor that was altered or is another document's is refused", func(t *testing.T) {
		cursor := first(t).NextCursor
		for i := range cursor {
			altered := []byte(cursor)
			altered[i] = map[bool]byte{true: '1', false: '0'}[altered[i] == '0']
			f.Refused(t, tools.CodeInvalidCursor, "issues_get", map[string]any{"id": "ISS-000001", "cursor": string(altered)})
		}
		for _, wrong := range []string{"0", "k3f9w2", "0" + cursor, cursor + "0", strings.Repeat("z", 500), "-1", "ü"} {
			f.Refused(t, tools.CodeInvalidCursor, "issues_get", map[string]any{"id": "ISS-000001", "cursor": wrong})
		}
		text := f.Refused(t, tools.CodeInvalidCursor, "issues_get", map[string]any{"id": "ISS-000002", "cursor": cursor})
		if !strings.Contains(text, "another document") || !strings.Contains(text, "without a cursor") {
			t.Errorf("got %s", text)
		}
	})
	t.Run("a cursor outlives a move to the archive", func(t *testing.T) {
		cursor := readOn(t, f, map[string]any{"id": "ISS-000002"})[0].NextCursor
		toolstest.Must[any](t, f.Client, "issues_update", map[string]any{"id": "ISS-000002", "status": "closed"})
		toolstest.Must[issueAnswer](t, f.Client, "issues_get", map[string]any{"id": "ISS-000002", "cursor": cursor})
	})
	t.Run("an edit of the text between two chunks is told, with where to go on", func(t *testing.T) {
		c := first(t)
		if err := os.WriteFile(filepath.Join(root, file), []byte(front+strings.Replace(body, "Sentence 4", "Sentence four", 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		text := f.Refused(t, tools.CodeInvalidCursor, "issues_get", map[string]any{"id": "ISS-000001", "cursor": c.NextCursor})
		if !strings.Contains(text, "changed") || !strings.Contains(text, fmt.Sprintf("startLine %d", c.EndLine+1)) {
			t.Errorf("the chunk ended with line %d: %s", c.EndLine, text)
		}
	})
}
