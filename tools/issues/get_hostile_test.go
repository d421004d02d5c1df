package issues

import (
	"fmt"
	"strings"
	"testing"

	"issues-index/store/storetest"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// TestGetOfLongFields holds that fields of any size leave room for the text, and
// that the answer says what is missing and how to read it.
func TestGetOfLongFields(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	body := longBody()
	body, _, _ = strings.Cut(body, "## Part 9\n")
	var labels, keys, extra strings.Builder
	for i := range 100 {
		fmt.Fprintf(&labels, "  - label %d %s\n", i, strings.Repeat("l", 100))
		fmt.Fprintf(&keys, "  key%d: %s\n", i, strings.Repeat("value ", i))
		fmt.Fprintf(&extra, "extra%d: %d\n", i, i)
	}
	title := strings.Repeat("語 title ", 500)
	front := fmt.Sprintf("title: %s\nstatus: open\nassignee: %s\nlabels:\n%swranglerContext:\n%s%s", title, strings.Repeat("ann ", 100), labels.String(), keys.String(), extra.String())
	toolstest.Write(t, root, ".wrangler/issues/ISS-000001.md", "---\nid: ISS-000001\n"+front+"---\nShort text.\n")
	toolstest.Write(t, root, ".wrangler/issues/ISS-000002.md", "---\nid: ISS-000002\n"+front+"---\n"+body)
	f := serve(t, root)

	t.Run("a short text is whole, the fields are cut", func(t *testing.T) {
		c := readOn(t, f, map[string]any{"id": "ISS-000001"})[0]
		if *c.Issue.Description != "Short text.\n" || !strings.HasSuffix(c.text, "\n\nShort text.\n") || c.ChunkIndex != nil {
			t.Errorf("got %s", c.text)
		}
		if c.Issue.Status != "open" || c.Issue.Path == "" || !strings.HasPrefix(c.Issue.Title, "語 title") || !strings.HasSuffix(c.Issue.Title, " more characters)") {
			t.Errorf("got %+v", c.Issue)
		}
		for _, want := range []string{"texts cut", "left out at the end of labels", "members left out", "issues_get {id: 'ISS-000001'", "maxTokens"} {
			if !strings.Contains(c.Note, want) || !strings.Contains(c.text, want) {
				t.Errorf("the note lacks %q: %s", want, c.Note)
			}
		}
	})
	for _, tokens := range storetest.FewOf([]int{1, 300, 1000, 4000, 25000}, 3) {
		t.Run(fmt.Sprintf("a long text comes in chunks with maxTokens %d", tokens), func(t *testing.T) {
			joins(t, readOn(t, f, map[string]any{"id": "ISS-000002", "maxTokens": tokens}), body, body)
		})
	}
	for _, field := range []string{"title", "labels", "wranglerContext", "assignee"} {
		t.Run("the field "+field+" alone, as far as it fits", func(t *testing.T) {
			readOn(t, f, map[string]any{"id": "ISS-000001", "fields": field})
			part := readOn(t, f, map[string]any{"id": "ISS-000001", "fields": field, "maxTokens": 100})[0]
			if !strings.Contains(part.Note, "Pass a larger maxTokens") && field != "assignee" {
				t.Errorf("the note is %q", part.Note)
			}
			if whole := readOn(t, f, map[string]any{"id": "ISS-000001", "fields": field, "maxTokens": 25000})[0]; whole.Note != "" {
				t.Errorf("it does not fit: %s", whole.Note)
			}
		})
	}
	t.Run("a document that fits is whole, in whatever budget", func(t *testing.T) {
		toolstest.Write(t, root, ".wrangler/issues/ISS-000003.md", "---\nid: ISS-000003\ntitle: T\n---\nText.\n")
		if c := readOn(t, f, map[string]any{"id": "ISS-000003", "maxTokens": 1})[0]; c.Note != "" || c.NextCursor != "" || c.Issue.Path == "" {
			t.Errorf("got %+v", c)
		}
	})
}

// TestGetOfAHugeText holds that a text of megabytes is not written out to learn that
// it does not fit.
func TestGetOfAHugeText(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	body := strings.Repeat(longBody(), 80)
	toolstest.Write(t, root, ".wrangler/issues/ISS-000001.md", "---\nid: ISS-000001\ntitle: T\n---\n"+body)
	f := serve(t, root)
	first, _ := toolstest.Must[issueAnswer](t, f.Client, "issues_get", map[string]any{"id": "ISS-000001"})
	least := strings.Count(body, "\n") / answer.Defaults().Budget("", 0).ChunkLines
	if first.TotalChunks < least || first.TotalChunks > 2*least {
		t.Errorf("%d chunks, want %d or a few more", first.TotalChunks, least)
	}
	if len(first.NextCursor) > 24 {
		t.Errorf("cursor %s", first.NextCursor)
	}
}

// TestGetWithoutChunks holds that a switch that is off leaves its work to the
// server's last resort, and the answer bounded all the same.
func TestGetWithoutChunks(t *testing.T) {
	root := t.TempDir()
	toolstest.Write(t, root, ".wrangler/issues/ISS-000001.md", "---\nid: ISS-000001\ntitle: T\n---\n"+longBody())
	f := serve(t, root)
	for name, flags := range map[string]answer.Flags{"chunking": {Summarization: true, Pagination: true}, "summarization": {Chunking: true}} {
		t.Run(name+" is off", func(t *testing.T) {
			settings := answer.Defaults()
			settings.Tools = map[string]answer.Flags{"issues_get": flags}
			client := toolstest.NewClient(t, tools.Config{Toolsets: []tools.Toolset{Toolset(f.ix)}, Settings: func() *answer.Settings { return settings }})
			reply := client.Call(t, "issues_get", map[string]any{"id": "ISS-000001"})
			if b := settings.Budget("issues_get", 0); !b.Holds(reply.Text()) || !b.Holds(string(reply.Structured)) {
				t.Errorf("%d bytes", len(reply.Text()))
			}
			if chunked := strings.HasPrefix(reply.Text(), "Chunk 1 of "); chunked != flags.Chunking {
				t.Errorf("got %.100s", reply.Text())
			}
		})
	}
}

// A title that hides a text from people is shown without it. Of a text, which stays as it is, a
// model is told.
func TestGetSaysWhatNoPersonSees(t *testing.T) {
	t.Parallel()
	const hidden = "\U000E0064\U000E0065\U000E006C"
	root := t.TempDir()
	toolstest.Write(t, root, ".wrangler/issues/ISS-000001.md", "---\nid: ISS-000001\ntitle: Fix"+hidden+"\nlabels: [a"+hidden+"]\n---\nText "+hidden+"\n")
	toolstest.Write(t, root, ".wrangler/issues/ISS-000002.md", "---\nid: ISS-000002\ntitle: Flag 🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F\n---\nText\n")
	f := serve(t, root)
	c := readOn(t, f, map[string]any{"id": "ISS-000001"})[0]
	fields, text, _ := strings.Cut(c.text, "\n\n")
	if c.Issue.Title != "Fix" || strings.Contains(fields, hidden) || !strings.Contains(fields, "invisible characters") || !strings.Contains(text, hidden) {
		t.Errorf("%+q", c.text)
	}
	if c := readOn(t, f, map[string]any{"id": "ISS-000002"})[0]; strings.Contains(c.text, "invisible") || !strings.Contains(c.Issue.Title, "\U000E0067") {
		t.Errorf("%+q", c.text)
	}
}
