package content_test

import (
	"encoding/json"
	"strings"
	"testing"

	"issues-index/tools/wagtail/content"
)

// site has the page 4, the image 9 and the document 3.
func site(ref content.Ref) (content.Target, bool) {
	switch (content.Ref{Kind: ref.Kind, ID: ref.ID}) {
	case content.Ref{Kind: content.KindPage, ID: 4}:
		return content.Target{URL: "https://x.org/prices/", Title: "Prices"}, true
	case content.Ref{Kind: content.KindImage, ID: 9}:
		return content.Target{URL: "https://x.org/media/a.jpg", Title: "Photo 03"}, true
	case content.Ref{Kind: content.KindDocument, ID: 3}:
		return content.Target{URL: "https://x.org/documents/3/map.pdf", Title: "Map"}, true
	}
	return content.Target{}, false
}

func markdownOf(t *testing.T, value string) string {
	t.Helper()
	read, ok := content.ReadField(json.RawMessage(value))
	if !ok {
		t.Fatalf("%s is no field to read", value)
	}
	return read.Markdown(site)
}

func TestImagesAndDocumentsShowTheirIDs(t *testing.T) {
	for value, want := range map[string]string{
		`"<p>A <a linktype=\"document\" id=\"3\">map</a> of <a linktype=\"page\" id=\"4\">all</a>.</p>"`: `A [map](https://x.org/documents/3/map.pdf "document 3") of [all](https://x.org/prices/).`,
		`"<p><a linktype=\"document\" id=\"3\">https://x.org/documents/3/map.pdf</a></p>"`:               `[https://x.org/documents/3/map.pdf](https://x.org/documents/3/map.pdf "document 3")`,
		`"<embed embedtype=\"image\" id=\"9\" alt=\"A market\"/>"`:                                       `![A market](https://x.org/media/a.jpg "image 9")`,
		`[{"type":"image","value":9}]`:    `![Photo 03](https://x.org/media/a.jpg "image 9")`,
		`[{"type":"document","value":3}]`: `[Map](https://x.org/documents/3/map.pdf "document 3")`,
		// The address tells the id of what is missing.
		`"<embed embedtype=\"image\" id=\"8\" alt=\"Lost\"/>"`: `![Lost](wagtail:image/8)`,
		// A title that an editor wrote is not taken over.
		`"<p><a href=\"https://y.org/\" title=\"document 3\">y</a><img src=\"https://y.org/a.png\" title=\"image 9\" alt=\"z\"></p>"`: `[y](https://y.org/)![z](https://y.org/a.png)`,
	} {
		if got := markdownOf(t, value); got != want {
			t.Errorf("%s\nis   %s\nwant %s", value, got, want)
		}
	}
}

func TestNumbersOfChoosersAreShownWithTheirObjects(t *testing.T) {
	value := `[{"type":"card","value":{"hero_image":9,"page_id":4,"linked_pages":[4],"price":4,"position":3}}]`
	want := "card:\n\n- hero_image: 9 ![Photo 03](https://x.org/media/a.jpg \"image 9\")\n- page_id: 4 [Prices](https://x.org/prices/)\n" +
		"- linked_pages:\n  \n  - 4 [Prices](https://x.org/prices/)\n- price: 4\n- position: 3"
	if got := markdownOf(t, value); got != want {
		t.Errorf("%s\nis   %s\nwant %s", value, got, want)
	}
}

func TestScriptedPagesAreDetected(t *testing.T) {
	for source, want := range map[string]bool{
		`<body><div id="root"></div><script src="/app.js"></script></body>`:                                                 true,
		`<body><div id="__next"> </div><footer>© Lab</footer><script>boot()</script></body>`:                                true,
		`<body><noscript>You need to enable JavaScript to run this app.</noscript><main></main><script src=a></script>`:     true,
		`<body><div id="root"><h1>Hi</h1></div><script src="/app.js"></script></body>`:                                      false,
		`<body><main><h1>Short</h1><p>A page of few words.</p></main><script src="/analytics.js"></script></body>`:          false,
		`<body><div id="root"></div></body>`:                                                                                false,
		`<body><div id="app"></div><p>` + strings.Repeat("A sentence. ", 60) + `</p><script src="/app.js"></script></body>`: false,
	} {
		if article := content.Page([]byte(source), nil); article.Scripted != want {
			t.Errorf("%v, want %v: %s", article.Scripted, want, source)
		}
	}
}
