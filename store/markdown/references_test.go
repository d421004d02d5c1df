package markdown

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"pgregory.net/rapid"

	"issues-index/store/layout"
	"issues-index/store/storetest"
)

func references(text string) []Reference { return References(text, layout.Default().Mentions) }

// render is a reference as the test tables write it: kind, line and target, and what stands
// at its place where that is not the target.
func (r Reference) render(text string) string {
	s := fmt.Sprintf("%s %d %s", r.Kind, r.Line, r.Target)
	if written := text[r.Start:r.End]; written != r.Target {
		s += " as " + written
	}
	return s
}

func TestReferences(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"ids in prose", "See ISS-000012, spec-7.\n\nAnd **IDEA-3**!", []string{"mention 1 ISS-000012", "mention 1 spec-7", "mention 3 IDEA-3"}},
		{"in headings, lists, quotes and tables", "# ISS-1\n- ISS-2\n> - ISS-3\n\n| a |\n|---|\n| ISS-4 |\n",
			[]string{"mention 1 ISS-1", "mention 2 ISS-2", "mention 3 ISS-3", "mention 7 ISS-4"}},
		{"not in code", "`ISS-1` ``[a](b.md)``\n\n    ISS-2\n\n```\n[[ISS-3]]\n```\n", nil},
		{"not in HTML and comments", "<!-- ISS-1 -->\n\ntext <!-- [[ISS-2]] --> <a href=\"ISS-3.md\">ISS-4</a>\n\n<div>\n[a](b.md)\n</div>\n", []string{"mention 3 ISS-4"}},
		{"not in web addresses", "https://example.com/ISS-1 <https://example.com/ISS-2> (see http://x.org/browse/ISS-3)\n", nil},
		{"a link that leads to a file says it once", "[ISS-1](issues/ISS-000001-x.md)", []string{"link 1 issues/ISS-000001-x.md"}},
		{"the text of another link counts", "[ISS-1](https://example.com/1.md) ![ISS-2](a.png) [ISS-3](#part)", []string{"mention 1 ISS-1", "mention 1 ISS-2", "mention 1 ISS-3"}},
		{"paths", "[a](../a.md) [b](<b c.md> \"title\") [c](c%20d.md#part) [d](d\\_e.md?x) [e](/e.MD 'ISS-1') [f](f(1).md) [g](a&amp;b.md)",
			[]string{"link 1 ../a.md", "link 1 b c.md", "link 1 c d.md as c%20d.md", `link 1 d_e.md as d\_e.md`, "link 1 /e.MD", "link 1 f(1).md", "link 1 a&b.md as a&amp;b.md"}},
		{"no paths", "[a](a.txt) [b](mailto:b.md) [c](//host/c.md) [d](file:///d.md) [e](.md) [f]()", nil},
		{"a percent sign that escapes nothing", "[a](100%.md)", []string{"link 1 100%.md"}},
		{"a path that is in the link's text, too", "[a.md](a.md)", []string{"link 1 a.md"}},
		{"link definitions count where they are", "[a] and [b][A] and [c][]\n\n> [a]: a.md\n[a]: other.md\n\n[C]:\n  <c d.md#x>\n  'title'\n[unused]: u.md\n",
			[]string{"link 3 a.md", "link 7 c d.md"}},
		{"a link definition before a line that is no title", "[a]\n\n[a]:\n  b.md\n 'c' d\n", []string{"link 4 b.md"}},
		{"wiki links", "[[ISS-1]] ![[Page one#part|alias]] [[folder/page.md]]", []string{"wiki 1 ISS-1", "wiki 1 Page one", "wiki 1 folder/page.md"}},
		{"wiki links in a table", `| [[ISS-1\|one]] | [[b]] |`, []string{"wiki 1 ISS-1", "wiki 1 b"}},
		{"no wiki links", "[[1]](https://example.com) [[#part]] [[]] [[ -f x ]] [[1,2],[3]] \\[[x]] `[[y]]` [[https://x.org]]", nil},
		{"a wiki link in a link's text", "[see [[ISS-1]] here](https://example.com)", []string{"wiki 1 ISS-1"}},
		{"a link over two lines in a quote", "> [some\n> text](\n> a.md)\n", []string{"link 3 a.md"}},
		{"frontmatter that was not read is none", "---\nparent: ISS-1: x\n---\nISS-2\n", []string{"mention 4 ISS-2"}},
		{"CRLF", "a\r\n\r\nISS-1\r\n[a](b.md)\r\n", []string{"mention 3 ISS-1", "link 4 b.md"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, r := range references(c.text) {
				got = append(got, r.render(c.text))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
		})
	}
}

var (
	codeOrComment = regexp.MustCompile(`(?s)<pre>.*?</pre>|<code>.*?</code>|<!--.*?-->`)
	anchor        = regexp.MustCompile(`(?s)<a href="([^"]*)"[^>]*>(.*?)</a>|<img src="([^"]*)" alt="([^"]*)"[^>]*>`)
	tag           = regexp.MustCompile(`(?s)<[^>]*>`)
	naiveID       = regexp.MustCompile(`\b(?:ISS|SPEC|IDEA)-[0-9]{1,9}\b`)
)

// naiveReferences reads the links to files and the ids that a text has out of the page that
// goldmark makes of it, which is without HTML.
func naiveReferences(t *rapid.T, text string) (links map[string]bool, mentions []string) {
	var page bytes.Buffer
	if err := goldmark.Convert([]byte(text), &page); err != nil {
		t.Fatal(err)
	}
	links = map[string]bool{}
	rest := anchor.ReplaceAllStringFunc(codeOrComment.ReplaceAllString(page.String(), "¦"), func(a string) string {
		m := anchor.FindStringSubmatch(a)
		address, _, _ := strings.Cut(html.UnescapeString(m[1]+m[3]), "#")
		if !strings.HasSuffix(address, ".md") || strings.Contains(address, ":") {
			return "¦" + m[2] + m[4] + "¦"
		}
		if plain, err := url.PathUnescape(address); err == nil {
			address = plain
		}
		links[address] = true
		return "¦"
	})
	return links, naiveID.FindAllString(html.UnescapeString(tag.ReplaceAllString(rest, "¦")), -1)
}

// What is found is what a reader of the rendered page finds.
func TestReferencesAreThoseOfTheRenderedPage(t *testing.T) {
	bodies := slices.DeleteFunc(corpora(t), func(body string) bool { return strings.Contains(body, "[[") || strings.Contains(body, "://") })
	words := append([]string{
		"ISS-1", "ISS-000012", "SPEC-7,", "(IDEA-3)", "[a](a.md)", "[ISS-2](b-c.md 'ISS-4')", "![x](d.md)", "[e]", "[f][e]", "[e]: e.md", "[g]: g.txt\n[h]: <h.md>",
		"[h]", "`ISS-5`", "`", "x <!-- ISS-6 -->", "x <b>ISS-7</b>", "*ISS-8*", "**[i](i.md)**", "[j *ISS-9*](k)", "[l](l.md#part)", "\\[m](m.md)", "[n](n(1).md)",
		"[", "]", "](", ")", "!", "*", "_", "> ", "- ", "1. ", "    ", "# ", "\n", "\n", "\n\n", "---", "===",
	}, pieces...)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(bodies).Draw(t, "body")
		if rapid.Bool().Draw(t, "made") {
			separator := rapid.SampledFrom([]string{" ", "\n", ""}).Draw(t, "separator")
			text = "text\n\n" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 25).Draw(t, "words"), separator)
		}
		links, mentions := map[string]bool{}, []string(nil)
		for _, r := range references(text) {
			if r.Kind == FileLink {
				links[r.Target] = true
			} else if naiveID.FindString(r.Target) == r.Target {
				mentions = append(mentions, r.Target)
			}
		}
		wantLinks, wantMentions := naiveReferences(t, text)
		if fmt.Sprint(links) != fmt.Sprint(wantLinks) || !slices.Equal(mentions, wantMentions) {
			t.Fatalf("%q\n got %v %v\nwant %v %v", text, links, mentions, wantLinks, wantMentions)
		}
	})
}

func FuzzReferences(f *testing.F) {
	for _, body := range corpora(f) {
		f.Add(body)
	}
	f.Add("- > [a](<b c.md> 'd')\n  >\t[e]\n  [f]:\n  g&amp;h.md\n\n1.\t[i\n\tj](k.md)")
	f.Add("[a](b.md) [[c|d]] ISS-1 [e]\n\n[e]: <f%20g.md#h>\n> `i`")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, r := range references(text) {
			if r.Start < last || r.End <= r.Start || r.End > len(text) || r.Target == "" {
				t.Fatalf("%+v", r)
			}
			written := text[r.Start:r.End]
			if file, _ := filePath([]byte(written)); !strings.HasPrefix(written, r.Target) && (r.Kind != FileLink || file != r.Target) {
				t.Fatalf("%+v is %q", r, written)
			}
			if r.Line != 1+strings.Count(text[:r.Start], "\n") {
				t.Fatalf("%+v is at line %d", r, 1+strings.Count(text[:r.Start], "\n"))
			}
			last = r.Start
		}
	})
}

// A paragraph that takes too long names nothing, and the text around it what it does without.
func TestReferencesBesideACostlyParagraph(t *testing.T) {
	const before, after = "# A\n\nsee ISS-000012\n\n# B\n\n", "\n# C\n\n- [x](ISS-000012.md)\n- [[ISS-000012]], [y]\n\n[y]: z.md\n"
	log := strings.Repeat("[2026-02-15 10:00:00] [INFO] my_module.some_func: request_id=ab_12 ISS-7 done\n", 500)
	for name, costly := range map[string]string{"paragraph": log, "list item": "- " + log, "quote": "> " + log, "heading": "# " + strings.Repeat("[a](", 2000) + "\n"} {
		want := references(before + strings.Repeat("\n", strings.Count(costly, "\n")) + after)
		for _, lineEnd := range []string{"\n", "\r\n"} {
			text := strings.ReplaceAll(before+costly+after, "\n", lineEnd)
			got := references(text)
			for i, r := range got {
				if text[r.Start:r.End] != r.Target {
					t.Errorf("%s: %+v is %q", name, r, text[r.Start:r.End])
				}
				if i < len(want) {
					got[i].Start, got[i].End = want[i].Start, want[i].End
				}
			}
			if len(want) != 4 || !slices.Equal(got, want) {
				t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
			}
		}
	}
}

// What is quadratic for the Markdown parser takes no longer here than links do on a slow day.
func TestReferencesOfHostileText(t *testing.T) {
	const size = 1 << 19
	units := []string{
		"[a](", "[", "[[", "![", "]", "[]", "*a ", "_a", "`", "``a`", "<", "<!--", "<a ", "&", "ISS-1/",
		"ISS-1", "A-", "[a](b.md)", "[[a]]", "[a]: b.md\n", "[a][b]", "[a](<", "> [a](", "\\[", "[a](b\n",
		"://ISS-1",
	}
	for _, unit := range storetest.FewOf(units, 8) {
		start := time.Now()
		n := len(references("[x](y.md)\n\n" + strings.Repeat(unit, size/len(unit))))
		took := time.Since(start)
		t.Logf("%q: %d in %v", unit, n, took)
		if took > time.Minute {
			t.Errorf("%q repeated takes %v", unit, took)
		}
	}
}
