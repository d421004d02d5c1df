package sanitize_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"issues-index/tools/sanitize"
)

// letters allows some elements and attributes of letters.
var letters = &sanitize.Policy{
	Elements: map[string]sanitize.Attributes{
		"p": nil, "b": nil, "br": nil, "title": nil, "noscript": nil, "script": nil,
		"a": {"href": sanitize.Address, "title": sanitize.Matching("^[a-z]+$"), "rel": sanitize.Any},
	},
	Everywhere:  sanitize.Attributes{"title": sanitize.Any},
	Incomplete:  map[string]bool{"a": true},
	WithContent: map[string]bool{"object": true},
	Unfollowed:  true,
}

func TestCopy(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"text is escaped again", `1 < 2 & "é" &lt;b&gt;`, `1 &lt; 2 &amp; &#34;é&#34; &lt;b&gt;`},
		{"allowed elements stay, in lower case", `<P><b>x</B><br/></p>`, `<p><b>x</b><br/></p>`},
		{"of others the content stays", `<div>x<i>y</i></div>`, `xy`},
		{"or goes with them", `x<object>y<b>z</b></object><b>!</b>`, `x<b>!</b>`},
		{"to the end, if they are left open", `x<object>y`, `x`},
		{"elements that take their content with them nest", `<object><object></object>y</object>z`, `z`},
		{"an end without its beginning is no beginning", `</object><object>x</object>y`, `y`},
		{"scripts and styles never stay", `<script>x</script>y<style>z</style>`, `y`},
		{"nor comments, doctypes and instructions", `<!DOCTYPE html><!-- x --><?php y ?><![CDATA[z]]>`, ``},
		{"elements that need an attribute go without one", `<a>x</a><a href="javascript:y">z</a><a href=w>v</a>`, `xz<a href="w">v</a>`},
		{"one that is closed at once has no end", `<a/><a href=x>y</a>`, `<a href="x">y</a>`},
		{"attributes stay that are allowed", `<p title=x id=y onclick=z>`, `<p title="x">`},
		{"an element's own come first", `<a href=x title=Y><b title=Y>`, `<a href="x"><b title="Y">`},
		{"the first of the same name counts", `<b title=x TITLE=y title='z'>`, `<b title="x">`},
		{"values are quoted and escaped", `<b title='"<b>&quot;&amp;'>`, `<b title="&#34;&lt;b&gt;&#34;&amp;">`},
		{"links to other hosts are not followed", `<a rel=me href="https://x.example/">x</a>`, `<a href="https://x.example/" rel="nofollow noreferrer">x</a>`},
		{"nor those that only browsers take for such", `<a href="https:x">x</a><a href="///x">y</a>`, `<a href="https:x" rel="nofollow noreferrer">x</a><a href="///x" rel="nofollow noreferrer">y</a>`},
		{"links to this host are", `<a rel=me href="/x#y">x</a><a href="mailto:a@b.example">y</a>`, `<a href="/x#y">x</a><a href="mailto:a@b.example">y</a>`},
		{"the text of a title is text", `<title><b>&amp;</title>`, `<title>&lt;b&gt;&amp;</title>`},
		{"where HTML reads no entities, there are none", `<noscript>use <b>"JS"</b>&lt;</noscript>`, `<noscript>use  b  JS  /b  lt;</noscript>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := letters.String(c.source); got != c.want {
				t.Errorf("%s\nis   %s\nwant %s", c.source, got, c.want)
			}
		})
	}
}

func TestASpaceForEachTag(t *testing.T) {
	texts := &sanitize.Policy{Spaced: true}
	if got, want := texts.String(`a<br>b<br/>c<p>d</p>e<script>f</script>g`), `a b c d eg`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestErrorsOfReaderAndWriterAreReturned(t *testing.T) {
	broken := errors.New("broken")
	var clean strings.Builder
	half := "<p>x</p><b>" + strings.Repeat("y", 5000)
	for name, err := range map[string]error{
		"the reader": letters.Copy(&clean, iotest.TimeoutReader(iotest.HalfReader(strings.NewReader(half)))),
		"the writer": letters.Copy(failing{broken}, strings.NewReader("<p>x</p>")),
		"a space":    (&sanitize.Policy{Spaced: true}).Copy(failing{broken}, strings.NewReader("<p>x</p>")),
	} {
		if !errors.Is(err, broken) && !errors.Is(err, iotest.ErrTimeout) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !strings.HasPrefix(clean.String(), "<p>x</p>") {
		t.Errorf("written until then: %.20q", clean.String())
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func BenchmarkCopy(b *testing.B) {
	page := strings.Repeat(`<h2 id="h-x">A heading</h2><p>Some <b>text</b> &amp; a <a href="https://x.example/a?b=c">link</a>.</p><ul><li>x</li></ul>`, 500)
	a := allowlists["a rendered text"]
	for name, copied := range map[string]func(string) string{"ours": a.String, "bluemonday": a.judge(false).Sanitize} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				copied(page)
			}
		})
	}
}
