package content

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	renderer "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// reader shows Markdown as the most trusting of programs would: with the HTML that
// is in it.
var reader = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify), goldmark.WithRendererOptions(renderer.WithUnsafe()))

// read returns the tree that a reader of Markdown sees.
func read(t interface{ Fatal(...any) }, markdown string) *html.Node {
	var out bytes.Buffer
	if err := reader.Convert([]byte(markdown), &out); err != nil {
		t.Fatal(err)
	}
	tree, err := html.Parse(&out)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// harmless are the elements that our Markdown may have, and their attributes.
var harmless = map[string][]string{
	"html": nil, "head": nil, "body": nil, "p": nil, "br": nil, "hr": nil, "ul": nil, "ol": {"start"}, "li": nil, "blockquote": nil,
	"h1": nil, "h2": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil, "pre": nil, "code": {"class"}, "em": nil, "strong": nil, "del": nil,
	"table": nil, "thead": nil, "tbody": nil, "tr": nil, "th": {"style"}, "td": {"style"}, "a": {"href", "title"}, "img": {"src", "alt", "title"},
}

// ours is the only title that a link has: what an image or a document is called by.
var ours = regexp.MustCompile(`^(image|document) [0-9A-Za-z_-]+$`)

// active names what Markdown does to its reader beside being read, "" when that is
// nothing.
func active(t interface{ Fatal(...any) }, markdown string) string {
	found := ""
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode {
			allowed, known := harmless[n.Data]
			if !known {
				found = "<" + n.Data + ">"
			}
			for _, a := range n.Attr {
				if !slices.Contains(allowed, a.Key) || a.Key == "title" && !ours.MatchString(a.Val) {
					found = n.Data + " " + a.Key + "=" + a.Val
				}
				if (a.Key == "href" || a.Key == "src") && !leads(a.Val) {
					found = n.Data + " " + a.Key + "=" + a.Val
				}
			}
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			walk(child)
		}
	}
	walk(read(t, markdown))
	return found
}

// leads reports whether an address is one that a browser goes to, as it reads it.
func leads(address string) bool {
	address = strings.Map(func(r rune) rune {
		if r <= ' ' {
			return -1
		}
		return r
	}, address)
	scheme, _, found := strings.Cut(address, ":")
	if !found || strings.ContainsAny(scheme, "/?#") {
		return true
	}
	return slices.Contains([]string{"http", "https", "mailto", "tel", "wagtail", "ftp"}, strings.ToLower(scheme))
}

var attacks = []string{
	`<script>alert(1)</script>`, `<SCRIPT SRC=//e.example/x.js></SCRIPT>`, `<script>`, `<scr<script>ipt>alert(1)</script>`,
	`<style>@import 'javascript:alert(1)'</style>`, `<iframe src="javascript:alert(1)"></iframe>`, `<iframe srcdoc="<script>alert(1)</script>">x</iframe>`,
	`<img src=x onerror=alert(1)>`, `<img src="javascript:alert(1)" alt="](javascript:alert(1)) <script>">`, `<img src="data:text/html,x" alt=a>`,
	`<img src=/x.png alt="\](javascript:alert(1)">`, `<img src=/x.png alt="\\](javascript:alert(1)">`, `<img src=/x.png alt="a
	](javascript:alert(1))">`, `<a href="javascript:alert(1)">x</a>`, `<a href=" JaVaScRiPt:alert(1)">x</a>`, `<a href="java&#x09;script:alert(1)">x</a>`,
	`<a href="java&#10;script:alert(1)">x</a>`, `<a href="&#1;javascript:alert(1)">x</a>`, `<a href="java&amp;Tab;script&amp;colon;alert(1)">x</a>`,
	`<a href="javascript&amp;colon;alert(1)">x</a>`, `<a href="&amp;#106;avascript:alert(1)">x</a>`, `<a href="vbscript:x">x</a>`, `<a href="data:text/html;base64,x">x</a>`,
	`<a href="/x) [y](javascript:alert(1)">x</a>`, `<a href="/x> <script>">x</a>`, `<a href="/x&quot; onclick=&quot;alert(1)">x</a>`,
	`<a href="/ok">](javascript:alert(1)) [</a>`, `<a href="\javascript:alert(1)">x</a>`, `<a href="view-source:javascript:1">x</a>`, `<a href="blob:x">x</a>`,
	`[x](javascript:alert(1))`, `![x](javascript:alert(1))`, `&lt;script&gt;alert(1)&lt;/script&gt;`, `&lt;javascript:alert(1)&gt;`, `<p>!</p><a href="/y">[x</a>`,
	`[x]: javascript:alert(1)`, `[x][y]`, "```\n<b>", "~~~", "    <script>", "`", "``<code>`</code>``", `<code>&lt;script&gt;</code>`, "<code>`</code>`", "<code>a`</code>",
	"<pre>```\n</pre>&lt;script&gt;", "<pre>\n~~~\n```\n&lt;script&gt;</pre>", "<blockquote><pre>a\n\n&lt;script&gt;\n</pre></blockquote>",
	"<ul><li><pre>a\n&lt;script&gt;\n\n&lt;/script&gt;</pre></ul>", "<ol start=99><li><ul><li><blockquote><pre>a\n[x](javascript:alert(1))</pre></blockquote></ul></ol>",
	`<table><tr><td>a|b</td><td><pre>&lt;script&gt;
	</pre></td></tr></table>`, `<table><tr><th><a href="javascript:alert(1)">x</a><td>|</table>`, `<table><tr><td><table><tr><td>x</table>|<script>1</script></table>`,
	`<svg onload=alert(1)><script>alert(1)</script></svg>`, `<math><mtext><script>alert(1)</script></mtext></math>`, `<svg><a xlink:href="javascript:alert(1)">x</a></svg>`,
	`<form action="javascript:alert(1)"><button formaction="javascript:alert(1)">x</button><input onfocus=alert(1) autofocus></form>`,
	`<object data="javascript:alert(1)"></object>`, `<embed src="javascript:alert(1)">`, `<embed embedtype="media" url="javascript:alert(1)">`, `<base href="javascript:/">`,
	`<meta http-equiv=refresh content="0;url=javascript:alert(1)">`, `<link rel=stylesheet href="javascript:alert(1)">`, `<!--><script>alert(1)</script>-->`, `<![CDATA[<script>alert(1)</script>]]>`,
	`<noscript><p title="</noscript><script>alert(1)</script>">`, `<template><script>alert(1)</script></template>`, `<textarea></p><script>alert(1)</script></textarea>`,
	`<a linktype="page" id="javascript:alert(1)">x</a>`, `<a linktype="javascript" id="alert(1)">x</a>`, `<a linktype="page" id="4" href="javascript:alert(1)">x</a>`,
	`<embed embedtype="image" id="1" alt="](javascript:alert(1))">`, `<p>a<br>---<br>===<br># x<br>&gt; y<br>1. z<br>- w<br>| a |<br>|---|</p>`,
	"\x00<scr\x00ipt>alert(1)</scr\x00ipt>", "\a[x](javascript:1)", "\uF002<b>x</b>\uF002", "\uE000script\uE001alert(1)\uE000/script\uE001", `&amp;lt;script&amp;gt;`,
	`<h2>&lt;img src=x onerror=alert(1)&gt; #</h2>`, `<plaintext><script>alert(1)</script>`, `<xmp><script>alert(1)</script></xmp>`, `<div style="x:expression(alert(1))" onclick=x>y</div>`,
	`<b><a href="javascript:alert(1)"><i>x</b></i></a>`, `<a href="http://a.example/<script>">http://a.example/<script></a>`, `www.example.com [x] http://a.example/&lt;b&gt;`,
	`<p>http://a.example/<code>&lt;script&gt;</code>`, `<p>http://a.example/<code>a</code><code>&lt;script&gt;</code>`, `<p>www.a.example/<del>b</del><code>&lt;script&gt;</code>`,
	`<p><em><del>http://a.example/</del></em><code>&lt;script&gt;</code>`, `<p>http://a.example/<a href="/x">y</a><code>&lt;script&gt;</code>`,
	`<p>x<code>a@b.example &lt;script&gt;</code>`, `<p>x<em>y</em><code>a@b.example &lt;script&gt;</code>`, `<p>x<code>y</code><code>a@b.example &lt;script&gt;</code>`,
	`<p>x<code>a</code>@b.example<code>&lt;script&gt;</code>`, `<p>x<code>a</code>y<code>b@b.example &lt;script&gt;</code>`,
	`<p><em>x</em><code>a@b.example &lt;script&gt;</code>`, `<p>x-<img src="http://a.example/b" alt="c"><code>a@b.example &lt;script&gt;</code>`,
	`<p>x<a href="/y">z</a><code>a@b.example &lt;script&gt;</code>`, `<p>x <code>a@b.example &lt;script&gt;</code>`, `<p>(<code>a@b.example &lt;script&gt;</code>)`,
}

func TestAttacksBecomeHarmless(t *testing.T) {
	for _, attack := range attacks {
		text, err := json.Marshal(attack)
		if err != nil {
			t.Fatal(err)
		}
		stream := `[{"type":"html","value":` + string(text) + `},{"type":"heading","value":` + string(text) + `},{"type":"markdown","value":` + string(text) + `},{"type":"x","value":{` +
			string(text) + `:[` + string(text) + `],"code":` + string(text) + `,"image":1,"url":` + string(text) + `}},` +
			`{"type":"table","value":{"data":[[` + string(text) + `,"b"],["c",` + string(text) + `]],"table_caption":` + string(text) + `}}]`
		for form, markdown := range map[string]string{
			"rich text":   richText(attack, targets),
			"in a row":    richText("<p>a "+attack+" b</p><p>"+attack, targets),
			"StreamField": must(streamField(json.RawMessage(stream), targets)),
			"plain text":  Text(attack),
			"page":        pageOf(t, attack),
		} {
			if what := active(t, markdown); what != "" {
				t.Errorf("%s of %q is active: %s\n%s", form, attack, what, markdown)
			}
		}
	}
}

// targets resolves references to what no site should have.
func targets(r Ref) (Target, bool) {
	switch r.ID % 3 {
	case 0:
		return Target{URL: "javascript:alert(1)", Title: "](javascript:alert(1)) <script>"}, true
	case 1:
		return Target{URL: "https://a.example/(x)", Title: "[a](b) <i>"}, true
	}
	return Target{}, false
}

func must(markdown string, ok bool) string {
	if !ok {
		return "(no StreamField)"
	}
	return markdown
}

func pageOf(t interface{ Fatal(...any) }, body string) string {
	base, err := url.Parse("https://site.example/a/b/")
	if err != nil {
		t.Fatal(err)
	}
	return Page([]byte("<!doctype html><title>"+body+"</title><main>"+body+"</main>"), base).Markdown
}

// soup is HTML that is put together from attacks and from what is around them.
var soup = rapid.Custom(func(t *rapid.T) string {
	var b strings.Builder
	for range rapid.IntRange(1, 8).Draw(t, "pieces") {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			b.WriteString(rapid.SampledFrom(attacks).Draw(t, "attack"))
		case 1:
			name := rapid.SampledFrom([]string{"p", "b", "a", "ul", "li", "ol", "blockquote", "table", "tr", "td", "th", "h2", "pre", "code", "em", "br", "div", "sup", "del"}).Draw(t, "element")
			b.WriteString(rapid.SampledFrom([]string{"<", "</"}).Draw(t, "end") + name + ">")
		case 2:
			attack := rapid.SampledFrom(attacks).Draw(t, "attack")
			b.WriteString(attack[:rapid.IntRange(0, len(attack)).Draw(t, "cut")])
		case 3:
			b.WriteString(rapid.StringOfN(rapid.SampledFrom([]rune("\\`*_{}[]()<>#+-.!|~=&;:@\"' \n\taX1é")), 0, 12, -1).Draw(t, "text"))
		default:
			b.WriteString(`<a href="` + rapid.StringOfN(rapid.SampledFrom([]rune("javascript:&#;Tabcolon \\/()<>[]%01x\t\n")), 0, 24, -1).Draw(t, "address") + `">x</a>`)
		}
	}
	return b.String()
})

func TestRandomHTMLBecomesHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := soup.Draw(t, "html")
		for _, markdown := range []string{richText(source, targets), Text(source), pageOf(t, source)} {
			if what := active(t, markdown); what != "" {
				t.Fatalf("active: %s\n%s", what, markdown)
			}
		}
	})
}

func FuzzRichText(f *testing.F) {
	for _, attack := range attacks {
		f.Add(attack)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 4096 {
			t.Skip()
		}
		for _, markdown := range []string{richText(source, targets), pageOf(t, source)} {
			if what := active(t, markdown); what != "" {
				t.Fatalf("active: %s\n%q", what, markdown)
			}
		}
	})
}

func TestRandomMarkdownBecomesHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source, err := json.Marshal(soup.Draw(t, "markdown"))
		if err != nil {
			t.Fatal(err)
		}
		markdown, _ := streamField(json.RawMessage(`[{"type":"markdown","value":`+string(source)+`}]`), targets)
		if what := active(t, markdown); what != "" {
			t.Fatalf("active: %s\n%s", what, markdown)
		}
	})
}

func FuzzStreamField(f *testing.F) {
	f.Add([]byte(`[{"type":"paragraph","value":"<p>a</p>","id":"x"},{"type":"image","value":1},{"type":"q","value":{"quote":"a","attribution":"b"}}]`))
	f.Add([]byte(`[{"type":"t","value":{"columns":[{"type":"text","heading":"a"}],"rows":[{"values":["b"]}]}},{"type":"l","value":[[[[1]]],null,{"a":{"b":[true]}}]}]`))
	f.Add([]byte(`[{"type":"table","value":{"data":[["a",null],[1,{"x":2}]],"first_row_is_table_header":true,"table_caption":"c"}}]`))
	f.Add([]byte(`[{"type":"code","value":{"language":"go","code":"` + "```" + `"}},{"type":"heading_block","value":{"heading_text":"a","size":"h3"}}]`))
	f.Fuzz(func(t *testing.T, value []byte) {
		if len(value) > 4096 {
			t.Skip()
		}
		read, ok := ReadField(value)
		if !ok {
			return
		}
		read.Refs()
		markdown := read.Markdown(targets)
		if what := active(t, markdown); what != "" {
			t.Fatalf("active: %s\n%q", what, markdown)
		}
		if read.Markdown(targets) != markdown {
			t.Fatalf("another text the second time: %q", markdown)
		}
	})
}

func richText(source string, resolve Resolver) string {
	return RichText{sanitized(source)}.Markdown(resolve)
}

func streamField(blocks json.RawMessage, resolve Resolver) (string, bool) {
	field, ok := ReadField(blocks)
	if !ok {
		return "", false
	}
	return field.Markdown(resolve), true
}
