package search

import (
	"os"
	"strings"
	"testing"
)

// readme is English prose, tables and code.
func readme(b *testing.B) string {
	b.Helper()
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

var japanese = strings.Repeat("全文検索機能を追加する。ワークスペースの索引は、いつも新しい。\n", 100)

func BenchmarkFeed(b *testing.B) {
	for _, bm := range []struct{ name, text string }{
		{"English", readme(b)},
		{"Japanese", japanese},
		{"Base64", strings.Repeat(runs[len(runs)-1], 100)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.text)))
			b.ReportAllocs()
			var feed []byte
			for b.Loop() {
				feed = Feed(feed[:0], bm.text)
			}
		})
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, bm := range []struct{ name, query, body string }{
		{"word", "nowhere", readme(b)},
		{"short word", "zq", readme(b)},
		{"phrase", `"no where"`, readme(b)},
		{"exclusion", "index -nowhere", readme(b)},
		{"Japanese", "機械", japanese},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.body)))
			b.ReportAllocs()
			matcher := Parse(bm.query, nil).Matcher()
			for b.Loop() {
				matcher.Match(Text{Body: bm.body})
			}
		})
	}
}

func BenchmarkVocabulary(b *testing.B) {
	var v Vocabulary
	feed := string(Feed(nil, readme(b)))
	v.Add(v.Missing(feed)...)
	for i := range 100_000 {
		v.Add("w" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26%50) + string(rune('a'+i/1300)))
	}
	b.Run("Missing", func(b *testing.B) {
		b.SetBytes(int64(len(feed)))
		b.ReportAllocs()
		for b.Loop() {
			v.Missing(feed)
		}
	})
	b.Run("Candidates", func(b *testing.B) {
		b.ReportAllocs()
		q := Parse("orkspac", nil)
		for b.Loop() {
			q.Candidates(&v, 256)
		}
	})
}
