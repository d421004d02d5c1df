package sanitize

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// Whatever a text opens and ends, what follows it in a page is beside it, and its own words stay.
func TestClosedTextsEndInTheirElement(t *testing.T) {
	parts := []string{"<b>", "</b>", "<i>", "</i>", "<table>", "<tr><td>", "</td>", "</table>", "<ul>", "<li>", "</ul>", "<p>", "</p>", "<br>", "x ", "<details>", "<a href=\"/\">", "</a>", "<pre>"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 12).Draw(t, "parts"), "")
		closed := Closed(text)
		if again := Closed(closed); again != closed {
			t.Fatalf("%q is %q, and then %q", text, closed, again)
		}
		root, err := html.Parse(strings.NewReader("<article><div>" + closed + "</div></article><aside>after</aside>"))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Data == "aside" && (n.Parent.Data != "body" || n.FirstChild.Data != "after") {
				t.Fatalf("%q puts what follows into %s", closed, n.Parent.Data)
			}
		}
		if strings.Count(closed, "x") != strings.Count(text, "x") {
			t.Fatalf("%q is %q", text, closed)
		}
	})
}
