package o200k

import (
	"os"
	"testing"
)

func BenchmarkCount(b *testing.B) {
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("README", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			Count(string(text))
		}
	})
	b.Run("table", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			newVocabulary(file)
		}
	})
}
