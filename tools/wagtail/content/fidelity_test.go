package content

import (
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	_ "issues-index/store/storetest" // sizes, and rarer collections of garbage
)

// visible returns the text that a reader of Markdown sees, as words with single blanks.
func visible(t interface{ Fatal(...any) }, markdown string) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		} else if n.Type == html.ElementNode && (blocks[n.Data] || n.Data == "br") {
			b.WriteByte(' ')
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			walk(child)
		}
	}
	walk(read(t, markdown))
	return strings.Join(strings.Fields(b.String()), " ")
}

// typed is text that people type, and that Markdown would take for its own.
var typed = rapid.StringOfN(rapid.SampledFrom([]rune("\\`*_{}[]()<>#+-.!|~=&;:\"'  \t\naX19é—")), 0, 40, -1)

func TestTextStaysText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := typed.Draw(t, "text")
		want := strings.Join(strings.Fields(s), " ")
		for form, markdown := range map[string]string{
			"plain":        Text(s),
			"a paragraph":  richText("<p>"+html.EscapeString(s)+"</p>", nil),
			"an item":      richText("<ul><li>"+html.EscapeString(s)+"</li></ul>", nil),
			"a heading":    richText("<h2>"+html.EscapeString(s)+"</h2>", nil),
			"a quote":      richText("<blockquote>"+html.EscapeString(s)+"</blockquote>", nil),
			"after a mark": richText("<p><b>b</b>"+html.EscapeString(" "+s)+"</p>", nil),
			"a link":       richText(`<p><a href="/x">b `+html.EscapeString(s)+"</a></p>", nil),
			"a cell":       richText("<table><tr><th>b</th><td>"+html.EscapeString(s)+"</td></tr></table>", nil),
		} {
			got := strings.TrimSpace(strings.TrimPrefix(visible(t, markdown), "b"))
			if got != want {
				t.Fatalf("%s of %q is read as %q:\n%s", form, s, got, markdown)
			}
		}
	})
}

func TestCodeStaysCode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := typed.Draw(t, "code")
		want := strings.Join(strings.Fields(s), " ")
		source, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		stream := `[{"type":"code","value":` + string(source) + `}]`
		markdown, _ := streamField(json.RawMessage(stream), nil)
		for form, markdown := range map[string]string{
			"a block":            richText("<pre>"+html.EscapeString(s)+"</pre>", nil),
			"a block in an item": richText("<ol><li><ul><li><pre>"+html.EscapeString(s)+"</pre></ul></ol>", nil),
			"a block in a quote": richText("<blockquote><p><pre>"+html.EscapeString(s)+"</pre></blockquote>", nil),
			"a span":             richText("<p><code>"+html.EscapeString(s)+"</code></p>", nil),
			"a span in a cell":   richText("<table><tr><th>b</th><td><code>"+html.EscapeString(s)+"</code></td></tr></table>", nil),
			"a StreamField's":    markdown,
		} {
			got := strings.TrimSpace(strings.TrimPrefix(visible(t, markdown), "b"))
			if got != want {
				t.Fatalf("%s of %q is read as %q:\n%s", form, s, got, markdown)
			}
		}
	})
}

func TestNoWordOfHTMLIsLost(t *testing.T) {
	elements := []string{"p", "b", "i", "em", "a href=/x", "ul", "li", "ol", "blockquote", "table", "tr", "td", "th", "caption", "h2", "pre",
		"code", "div", "sup", "del", "section", "dl", "dt", "dd", "details", "summary", "figure", "font", "unknown-element", "span", "q",
		"svg", "button", "label", "object", "select", "marquee", "center", "nav", "form"}
	rapid.Check(t, func(t *rapid.T) {
		var source, want strings.Builder
		var open []string
		for n := range rapid.IntRange(1, 25).Draw(t, "pieces") {
			switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
			case kind == 0 && len(open) > 0:
				fmt.Fprintf(&source, "</%s>", open[len(open)-1])
				open = open[:len(open)-1]
			case kind <= 1:
				element := rapid.SampledFrom(elements).Draw(t, "element")
				name, _, _ := strings.Cut(element, " ")
				if !silent[name] {
					open = append(open, name)
				}
				fmt.Fprintf(&source, "<%s>", element)
				if silent[name] {
					fmt.Fprintf(&source, "</%s>", name)
				}
			default:
				fmt.Fprintf(&source, " word%d ", n)
				fmt.Fprintf(&want, "word%d ", n)
			}
		}
		markdown := richText(source.String(), nil)
		got := visible(t, markdown)
		for word := range strings.FieldsSeq(want.String()) {
			if !strings.Contains(got, word) {
				t.Fatalf("%s of\n%s\nis lost:\n%s", word, source.String(), markdown)
			}
		}
	})
}

// anyValue is JSON of any shape, with the words that have to be found again.
func anyValue(t *rapid.T, depth int, found *[]string) any {
	kind := rapid.IntRange(0, 8).Draw(t, "kind")
	if depth > 5 {
		kind %= 4
	}
	name := func() string {
		return rapid.SampledFrom([]string{"text", "image", "page", "title", "url", "items", "data", "value", "type", "id", "columns", "code", "quote", "heading"}).Draw(t, "name")
	}
	switch kind {
	case 0:
		word := "word" + strconv.Itoa(len(*found))
		*found = append(*found, word)
		return rapid.SampledFrom([]string{"", "<p>", "* ", "https://a.example/", "a\n\n"}).Draw(t, "before") + word
	case 1:
		number := 1_000_000 + len(*found)
		*found = append(*found, strconv.Itoa(number))
		return number
	case 2:
		return rapid.SampledFrom([]any{nil, "", []any{}, map[string]any{}}).Draw(t, "nothing")
	case 3:
		return true
	case 4, 5:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, anyValue(t, depth+1, found))
		}
		return list
	case 6:
		list := []any{}
		for range rapid.IntRange(1, 2).Draw(t, "length") {
			list = append(list, map[string]any{"type": name(), "value": anyValue(t, depth+1, found)})
		}
		return list
	default:
		object := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			key := name()
			if _, taken := object[key]; !taken {
				object[key] = anyValue(t, depth+1, found)
			}
		}
		return object
	}
}

func TestNoScalarOfAStreamFieldIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var found []string
		value, err := json.Marshal([]any{map[string]any{"type": "x", "value": anyValue(t, 0, &found), "id": "u"}})
		if err != nil {
			t.Fatal(err)
		}
		markdown, ok := streamField(value, nil)
		if !ok {
			t.Fatalf("no StreamField: %s", value)
		}
		for _, word := range found {
			if !strings.Contains(markdown, word) {
				t.Fatalf("%s of\n%s\nis lost:\n%s", word, value, markdown)
			}
		}
	})
}

func TestDeepNestingIsBounded(t *testing.T) {
	const deep = 50_000
	for name, source := range map[string]string{
		"elements": strings.Repeat("<div>", deep) + "word" + strings.Repeat("</div>", deep),
		"lists":    strings.Repeat("<ul><li>", deep) + "word",
		"quotes":   strings.Repeat("<blockquote>", deep) + "word",
		"tables":   strings.Repeat("<table><tr><td>", deep) + "word",
		"marks":    strings.Repeat("<b><i>", deep) + "word",
		"links":    strings.Repeat("<a href=/x>", deep) + "word",
		"fonts":    strings.Repeat("<font>", deep) + "word",
	} {
		t.Run(name, func(t *testing.T) {
			markdown := richText(source, nil)
			if !strings.Contains(markdown, "word") || len(markdown) > 20*deep {
				t.Errorf("%d bytes: %.200q", len(markdown), markdown)
			}
		})
	}
	t.Run("JSON", func(t *testing.T) {
		const deep = 5_000 // more is no JSON to a Go program
		value := `[{"type":"x","value":` + strings.Repeat(`{"a":[`, deep/2) + `"word"` + strings.Repeat("]}", deep/2) + `}]`
		markdown, ok := streamField(json.RawMessage(value), nil)
		if !ok || !strings.Contains(markdown, "word") || len(markdown) > 20*deep {
			t.Errorf("%v: %d bytes", ok, len(markdown))
		}
	})
}

// TestCostGrowsWithTheInput holds the memory that a conversion turns over, which
// is what work beside it would be for, and its output to the size of the input.
func TestCostGrowsWithTheInput(t *testing.T) {
	for name, piece := range map[string]string{
		"paragraphs": `<p data-block-key="a">Some <b>bold</b> text with a <a linktype="page" id="4">link</a>.</p>`,
		"items":      "<ul><li>a<ul><li>b</ul></ul>", "brackets": "[", "fences": "~", "backticks": "`", "ampersands": "&", "quotes": "<blockquote>a</blockquote>",
		"open marks": "<b><p>x", "open links": "<a href=/x>y", "rows": "<table><tr><td>a<td>b</table>", "spans": "<table><tr><td colspan=999 rowspan=999>a<td>b</table>",
		"ragged": "<tr><td>a", "marks": "<b>a</b><i>b</i>", "code": "<code>`</code>", "unclosed silent": "<svg>", "ends": "</p></div>", "breaks": "a<br>",
		"entities": "&amp;", "blanks": "  \n", "sub": "<sup>2</sup>", "images": `<img src="/a.png" alt="[">`, "pre": "<pre>a\n\n</pre>",
	} {
		t.Run(name, func(t *testing.T) {
			cost := func(n int) (turned uint64, size int) {
				source := "<p>" + strings.Repeat(piece, n)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				markdown := richText(source, nil)
				runtime.ReadMemStats(&after)
				return after.TotalAlloc - before.TotalAlloc, len(markdown)
			}
			const n, factor = 500, 8
			cost(n)
			little, small := cost(n)
			much, large := cost(n * factor)
			if growth := float64(much) / float64(little); growth > 2*factor {
				t.Errorf("%d times the input turns over %.1f times the memory (%d and %d)", factor, growth, little, much)
			}
			if float64(large) > math.Max(100, 2*factor*float64(small)) {
				t.Errorf("%d and %d bytes", small, large)
			}
		})
	}
}

// TestFormattingLeftOpenIsNotRepeated holds the memory that paragraphs cost while formatting is left
// open before them: a parser of HTML repeats it in each of them.
func TestFormattingLeftOpenIsNotRepeated(t *testing.T) {
	source := strings.Builder{}
	source.WriteString("<p>")
	for n := range 300 {
		fmt.Fprintf(&source, "<code class=language-a%d><b><i/><s hidden>", n)
	}
	source.WriteString(strings.Repeat("<p>x", 5000))
	for name, convert := range map[string]func(){
		"rich text": func() { richText(source.String(), nil) },
		"page":      func() { Page([]byte(source.String()), nil) },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		convert()
		runtime.ReadMemStats(&after)
		if turned := after.TotalAlloc - before.TotalAlloc; turned > 2000*uint64(source.Len()) {
			t.Errorf("%s of %d bytes turns over %d", name, source.Len(), turned)
		}
	}
}
