package index

import (
	"fmt"
	"strings"
	"testing"
)

// large makes every document of a tree some kilobytes long, each different.
func large(w *tree, documents int, subject string) {
	w.Helper()
	for i := range documents {
		var text strings.Builder
		text.WriteString(w.text(fmt.Sprintf("DOC-%04d", i)))
		for line := range 60 {
			fmt.Fprintf(&text, "The %s of line %d is %d steps away from that of %d.\n", subject, line, i*line%97, i)
		}
		w.write(fmt.Sprintf(".wrangler/issues/DOC-%04d.md", i), text.String())
	}
}

func TestDictionary(t *testing.T) {
	bodies := func(ix *Index) (content, bytes int) {
		t.Helper()
		err := ix.db.Read.QueryRow(`SELECT coalesce((SELECT length(content) FROM dictionary), 0), (SELECT sum(length(text)) FROM body)`).Scan(&content, &bytes)
		if err != nil {
			t.Fatal(err)
		}
		return content, bytes
	}
	t.Run("a small workspace has none", func(t *testing.T) {
		w := newTree(t, 5)
		ix, _ := w.open(Options{Mode: ModeVerify})
		defer w.close(ix)
		w.check(ix)
		if content, _ := bodies(ix); content != 0 {
			t.Errorf("it has %d bytes", content)
		}
	})
	t.Run("it takes from the bodies more than it adds", func(t *testing.T) {
		w := newTree(t, 0)
		large(w, 100, "distance")
		ix, _ := w.open(Options{Mode: ModeVerify})
		defer w.close(ix)
		w.check(ix)
		content, with := bodies(ix)
		alone := 0
		encoder, err := (*dictionary)(nil).encoder()
		w.must(err)
		for _, text := range w.texts() {
			alone += len(encoder.EncodeAll([]byte(text), nil))
		}
		if content == 0 || content > maxDictionary || content+with >= alone {
			t.Errorf("%d bytes and a dictionary of %d, where they take %d without", with, content, alone)
		}
	})
	t.Run("another process's rebuild brings another, for those who read and write meanwhile", func(t *testing.T) {
		w := newTree(t, 0)
		large(w, 60, "distance")
		ix, _ := w.open(Options{Mode: ModeVerify})
		defer w.close(ix)
		w.check(ix)
		other, _ := w.open(Options{Mode: ModeVerify})
		defer w.close(other)
		w.check(other)
		for round, subject := range []string{"weight", "colour"} {
			large(w, 60, subject)
			_, err := other.Rebuild(t.Context(), nil)
			w.must(err)
			path := fmt.Sprintf(".wrangler/issues/DOC-%04d.md", round)
			w.write(path, w.text("DOC-0000")+strings.Repeat(subject+" again\n", 500))
			w.must(ix.Refresh(t.Context(), path))
			w.check(ix)
			w.check(other)
		}
	})
}
