package content_test

import (
	"encoding/json"
	"net/url"
	"testing"

	"issues-index/tools/wagtail/content"
	"issues-index/tools/wagtail/wagtailtest"
)

// BenchmarkLongFields converts the longest recorded rich text and StreamField.
func BenchmarkLongFields(b *testing.B) {
	for _, name := range []string{"page-detail-huge-richtext", "page-detail-huge-streamfield"} {
		b.Run(name, func(b *testing.B) {
			var page map[string]json.RawMessage
			if err := json.Unmarshal(wagtailtest.Recorded(b, name).Bytes(), &page); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(page["body"])))
			b.ReportAllocs()
			for b.Loop() {
				field, _ := content.ReadField(page["body"])
				field.Markdown(museum)
			}
		})
	}
}

// BenchmarkLongPage converts the longest recorded page of the site.
func BenchmarkLongPage(b *testing.B) {
	recorded := wagtailtest.Recorded(b, "html-page-huge")
	base, err := url.Parse("http://127.0.0.1:8765" + recorded.Path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(recorded.Bytes())))
	b.ReportAllocs()
	for b.Loop() {
		content.Page(recorded.Bytes(), base)
	}
}
