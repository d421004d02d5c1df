package store

import (
	"fmt"
	"issues-index/store/markdown"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// FuzzParse holds that parsing is total and that what it gives is sound.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "---", "---\n---\n", "---\nid: a\n---\nbody", "\ufeff" + "---\r\nid: 007\r\n...\r\n# T\r\n",
		"---\nid: &a [*a]\n---\n", "---\n? [k]\n: v\n<<: {a: b}\n---\n", "---\nid: a\n<<<<<<< HEAD\n---\n",
		"---\nlabels: a, b\nassignee: [x, y]\ncreatedAt: 2026-02-15\nwranglerContext: {parentTaskId: 1}\n---\n# T\n",
		"---\ntitle: |\n  a\n  b\n---## x\n", "---\nid: \xff\n---\n\x00", "---\nx: \"\\0\\x85\\u2028\"\n---\n", "\u2028---\n", "---\n%TAG ! x\n---\n",
	} {
		f.Add("ISS-000001-a.md", []byte(seed))
	}
	f.Add(" .md", []byte("\f"))
	f.Add("a\nb .md", []byte(""))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if !documentName(name) || !utf8.ValidString(name) || strings.ContainsAny(name, "/\x00") {
			name = "ISS-000001-a.md"
		}
		d := parseFile(name, string(data))
		checkDocument(t, d, string(data))
		for _, h := range markdown.Outline(d.Body) {
			if h.Line < 1 || h.EndLine < h.Line || h.EndLine > markdown.LineCount(d.Body) {
				t.Errorf("%+v of %d lines", h, markdown.LineCount(d.Body))
			}
		}
	})
}

// FuzzPath holds that no string takes Load out of the workspace, or to a file
// that is no document.
func FuzzPath(f *testing.F) {
	for _, p := range hostilePaths {
		f.Add(p)
	}
	f.Add(".wrangler/issues/a.md")
	f.Add("./.wrangler//issues/./a.md")
	f.Add(".wrangler/issues/" + strings.Repeat("long", 100) + ".md")
	f.Add(".wrangler/issues/" + strings.Repeat("deep/", 2000) + "a.md")
	root := f.TempDir()
	writeFiles(f, root, map[string]string{"w/.wrangler/issues/a.md": "inside", "secret.md": "outside", "w/secret.md": "no document"})
	w := openWorkspace(f, root+"/w", nil)
	f.Fuzz(func(t *testing.T, p string) {
		d, _, err := w.Load(p)
		if err == nil && d.Body != "inside" {
			t.Errorf("%.100q gives %q", p, d.Body)
		}
	})
}

// TestIDsAreLiteral holds for any id in any quoting that what stands in the
// file is what is read, and that reading the rest does not depend on it.
func TestIDsAreLiteral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[0-9A-Za-z][0-9A-Za-z._+-]{0,12}`).Draw(t, "id")
		if id == "null" || id == "Null" || id == "NULL" {
			return // YAML's null: no id
		}
		form := rapid.SampledFrom([]string{"%s", "'%s'", `"%s"`, "%s # a comment", "!!str %s", "&anchor %s", ">-\n  %s"}).Draw(t, "form")
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
		lines := []string{"---", "title: T", "id: " + fmt.Sprintf(form, id), "other: 1", "---", ""}
		body := rapid.StringOf(rapid.RuneFrom([]rune("ab-\n#`é "))).Draw(t, "body")
		d := parseFile("x.md", strings.Join(lines, end)+body)
		if d.ID != id || d.Title != "T" || d.Body != body || string(d.Extra) != `{"other":1}` {
			t.Fatalf("id %q, title %q, extra %s, body %q; %+v", d.ID, d.Title, d.Extra, d.Body, d.Problems)
		}
	})
}

// TestParseIsTotal is FuzzParse over frontmatter that looks like frontmatter.
func TestParseIsTotal(t *testing.T) {
	pieces := []string{"---", "---\n", "\n", "\r\n", "id: ", "title: ", "labels: ", "status: ", "wranglerContext:\n  ", "createdAt: ", "a", "007", "[", "]", "{", "}", "- ", "'", "\"", ": ", ", ", "&a ", "*a", "# ", "|\n  ", "<<: ", "\t", "\xff", "\x00", "\ufeff", "...", "2026-01-01", "~", "!!int ", "=======\n", "\u2028"}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(rt, "pieces"), "")
		if rapid.Bool().Draw(rt, "fenced") {
			text = "---\n" + text + "\n---\nbody"
		}
		checkDocument(t, parseFile("x.md", text), text)
	})
}
