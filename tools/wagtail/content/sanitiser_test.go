package content

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// judge allows what the policy allows, in the words of bluemonday.
func judge() *bluemonday.Policy {
	p := bluemonday.NewPolicy().AllowElementsContent("frame", "frameset", "nostyle")
	for _, names := range []map[string]bool{silent, blocks, others} {
		for name := range names {
			p.AllowNoAttrs().OnElements(name)
		}
	}
	p.AllowAttrs("alt", "aria-label", "hidden", "href", "role", "src", "title", "type", "url").Globally()
	p.AllowAttrs("embedtype", "id", "linktype", "name").Matching(regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)).Globally()
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^lang(uage)?-[A-Za-z0-9+#._-]{1,30}$`)).Globally()
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^[0-9]{1,8}$`)).Globally()
	p.AllowAttrs("colspan", "rowspan").Matching(regexp.MustCompile(`^(1?[0-9]|20)$`)).Globally()
	return p
}

func TestBluemondayLeadsToTheSamePage(t *testing.T) {
	judge := judge()
	shown := func(sanitized string) string {
		var b strings.Builder
		if err := html.Render(&b, parse(renamed().Replace(sanitized))); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	same := func(t interface{ Errorf(string, ...any) }, source string) {
		if got, want := shown(policy().String(source)), shown(judge.Sanitize(source)); got != want {
			t.Errorf("%q\nis   %q\nwant %q", source, got, want)
		}
	}
	same(t, `<pre class="lang-go" id="a b"><ol start="3"><li start="x"><td colspan="20" rowspan="21" linktype="page" id="4">x</td><embed embedtype="image" alt="<x>" url="javascript:x"/><input type="password" name="p">`)
	for _, first := range attacks {
		for _, then := range attacks {
			same(t, first+then)
		}
	}
	rapid.Check(t, func(t *rapid.T) { same(t, soup.Draw(t, "html")) })
}

func TestBluemondayLeavesTheSameText(t *testing.T) {
	judge := bluemonday.NewPolicy().AddSpaceWhenStrippingTag(true)
	for _, source := range slices.Concat(attacks, []string{`<title>x</title><p>a<br/>b &amp;lt; c</p><script>d</script><noscript>e</noscript><object>f</object>g`}) {
		if got, want := plain(source), html.UnescapeString(judge.Sanitize(source)); got != want {
			t.Errorf("%q\nis   %q\nwant %q", source, got, want)
		}
	}
}
