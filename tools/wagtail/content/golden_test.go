package content_test

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"issues-index/tools/toolstest"
	"issues-index/tools/wagtail/content"
	"issues-index/tools/wagtail/wagtailtest"
)

// goldenFolder holds what is expected; UPDATE_GOLDEN=1 rewrites it.
const goldenFolder = "../../../testdata/wagtail/content"

func same(t *testing.T, name, got string) {
	t.Helper()
	toolstest.Same(t, filepath.Join(goldenFolder, name), []byte(got+"\n"))
}

// museum knows some of what the recorded site holds.
func museum(r content.Ref) (content.Target, bool) {
	target, ok := map[content.Ref]content.Target{
		{Kind: content.KindPage, ID: 4}:     {URL: "http://127.0.0.1:8765/visit/", Title: "Visit"},
		{Kind: content.KindPage, ID: 5}:     {URL: "http://127.0.0.1:8765/visit/opening-hours/", Title: "Opening hours"},
		{Kind: content.KindImage, ID: 1}:    {URL: "http://127.0.0.1:8765/media/original_images/harbour-at-dawn.jpg", Title: "Harbour at dawn"},
		{Kind: content.KindImage, ID: 12}:   {URL: "http://127.0.0.1:8765/media/original_images/museum-facade-night.png", Title: "Museum façade (night)"},
		{Kind: content.KindDocument, ID: 3}: {URL: "http://127.0.0.1:8765/documents/3/opening-hours.txt", Title: "Opening hours (plain text)"},
		{Kind: content.KindDocument, ID: 4}: {URL: "http://127.0.0.1:8765/documents/4/ship-register.csv", Title: "Ship register 1850–1900"},
	}[r]
	return target, ok
}

func TestRecordedFields(t *testing.T) {
	for _, name := range []string{"page-detail-home", "page-detail-standard", "page-detail-blog", "page-detail-fr", "page-detail-huge-richtext", "page-detail-huge-streamfield"} {
		t.Run(name, func(t *testing.T) {
			var page map[string]json.RawMessage
			if err := json.Unmarshal(wagtailtest.Recorded(t, name).Bytes(), &page); err != nil {
				t.Fatal(err)
			}
			shown := 0
			for _, field := range []string{"intro", "body", "body_html"} {
				value, has := page[field]
				if !has || field == "body_html" && name != "page-detail-standard" {
					continue
				}
				read, ok := content.ReadField(value)
				if !ok {
					t.Fatalf("%s is no field to read", field)
				}
				same(t, name+"."+field+".md", read.Markdown(museum))
				shown++
			}
			if shown == 0 {
				t.Error("no field was shown")
			}
			for _, field := range []string{"title", "introduction", "subtitle", "date", "tags", "image", "related_links", "authors", "feed_image", "handout"} {
				if read, ok := content.ReadField(page[field]); ok {
					t.Errorf("%s is taken for text to read: %s", field, read.Markdown(museum))
				}
			}
		})
	}
}

func TestRecordedPages(t *testing.T) {
	for name, title := range map[string]string{
		"html-page-home": "Harbour Street Museum", "html-page-opening-hours": "Opening hours", "html-page-blog-post": "A sextant comes home",
		"html-page-fr": "Visiter", "html-page-accept-json": "Visit",
	} {
		t.Run(name, func(t *testing.T) {
			recorded := wagtailtest.Recorded(t, name)
			base, err := url.Parse("http://127.0.0.1:8765" + recorded.Path)
			if err != nil {
				t.Fatal(err)
			}
			article := content.Page(recorded.Bytes(), base)
			if article.Title != title || article.PasswordRequired {
				t.Errorf("%q %v", article.Title, article.PasswordRequired)
			}
			same(t, name+".md", article.Markdown)
		})
	}
}

func TestShapesOfBlocks(t *testing.T) {
	value, err := os.ReadFile(filepath.Join(goldenFolder, "shapes.json"))
	if err != nil {
		t.Fatal(err)
	}
	field, ok := content.ReadField(value)
	if !ok {
		t.Fatal("no StreamField")
	}
	same(t, "shapes.md", field.Markdown(museum))
	same(t, "shapes-unresolved.md", field.Markdown(nil))
}

func TestRefs(t *testing.T) {
	page := func(id int) content.Ref { return content.Ref{Kind: content.KindPage, ID: id} }
	image := func(id int) content.Ref { return content.Ref{Kind: content.KindImage, ID: id} }
	document := func(id int) content.Ref { return content.Ref{Kind: content.KindDocument, ID: id} }
	for name, of := range map[string]struct {
		value string
		want  []content.Ref
	}{
		"rich text, in order, each once": {
			`"<p><a linktype=\"page\" id=\"4\">a</a><a linktype=\"document\" id=\"3\">b</a><a linktype=\"page\" id=\"4\">c</a></p><embed embedtype=\"image\" id=\"12\" alt=\"\"/>"`,
			[]content.Ref{page(4), document(3), image(12)},
		},
		"choosers, by their blocks' names": {
			`[{"type":"image","value":1},{"type":"x","value":{"related_page":5,"hero_image":6,"document":7,"count":8,"page_number":9,"images":[10,11],"name":"2"}}]`,
			[]content.Ref{image(1), page(5), image(6), document(7), image(10), image(11)},
		},
		"rich text in blocks": {`[{"type":"p","value":"<p><a linktype='page' id='2'>x</a></p>"}]`, []content.Ref{page(2)}},
		"what no reader sees": {`"<p hidden><a linktype=\"page\" id=\"4\">a</a></p><p>b</p>"`, nil},
		"other kinds":         {`"<p><a linktype=\"user\" id=\"4\">a</a><a linktype=\"page\" id=\"x\">a</a><a linktype=\"page\" id=\"-1\">a</a></p>"`, nil},
		"plain text":          {`"<3 of you, see page 4>"`, nil},
		"a list of texts":     {`["a","b"]`, nil},
		"a number":            {`4`, nil},
		"no JSON":             {`{`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			read, ok := content.ReadField(json.RawMessage(of.value))
			if !ok {
				if of.want != nil {
					t.Error("it is no field to read")
				}
				return
			}
			before := read.Markdown(nil)
			if got := read.Refs(); !slices.Equal(got, of.want) {
				t.Errorf("%v", got)
			}
			if read.Markdown(nil) != before {
				t.Error("a field that was asked for what it refers to is another afterwards")
			}
		})
	}
}
