package index

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// A plain is what anyone can read off a document's file.
type plain struct{ Path, ID, Title, Status, Labels string }

func plainOf(p, text string) plain {
	name := strings.TrimSuffix(path.Base(p), ".md")
	d := plain{Path: p, ID: name, Title: name, Status: "open"}
	head, _, closed := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
	if !strings.HasPrefix(text, "---\n") || !closed {
		return d
	}
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch key {
		case "id":
			d.ID = value
		case "title":
			d.Title = value
		case "status":
			d.Status = value
		case "labels":
			d.Labels = strings.Trim(value, "[]")
		}
	}
	return d
}

// answers are what a server says of all documents, or the files themselves.
type answers struct {
	Documents []plain // by path
	Total     int
	Statuses  map[string]int
	Found     map[string][]string // paths of the documents that have a word
}

// asRead are the answers of the files.
func asRead(texts map[string]string, words []string) answers {
	a := answers{Total: len(texts), Statuses: map[string]int{}, Found: map[string][]string{}}
	for _, p := range slices.Sorted(maps.Keys(texts)) {
		d := plainOf(p, texts[p])
		a.Documents = append(a.Documents, d)
		a.Statuses[d.Status]++
		for _, word := range words {
			if strings.Contains(texts[p], word) {
				a.Found[word] = append(a.Found[word], p)
			}
		}
	}
	return a
}

// everything is the size of a page that has all.
const everything = 1 << 20

// answersOf has an index answer.
func answersOf(ctx context.Context, ix *Index, words []string) (answers, error) {
	page, err := ix.Find(ctx, Query{Limit: everything})
	if err != nil {
		return answers{}, fmt.Errorf("list: %w", err)
	}
	a := answers{Total: page.Total, Statuses: map[string]int{}, Found: map[string][]string{}}
	for _, r := range page.Rows {
		a.Documents = append(a.Documents, plain{r.Path, r.ID, r.Title, r.Status, strings.Join(r.Labels, ", ")})
	}
	slices.SortFunc(a.Documents, func(x, y plain) int { return strings.Compare(x.Path, y.Path) })
	counts, _, err := ix.Stats(ctx, "status", Filter{})
	if err != nil {
		return answers{}, fmt.Errorf("count: %w", err)
	}
	for _, c := range counts {
		a.Statuses[c.Value] = c.Count
	}
	for _, word := range words {
		page, err := ix.Find(ctx, Query{Search: true, Text: word, Limit: everything})
		if err != nil {
			return answers{}, fmt.Errorf("search %s: %w", word, err)
		}
		for _, r := range page.Rows {
			a.Found[word] = append(a.Found[word], r.Path)
		}
		slices.Sort(a.Found[word])
	}
	return a, nil
}

// difference tells in which way answers are not those of the files.
func difference(got, want answers) string {
	var b strings.Builder
	have := map[plain]bool{}
	for _, d := range got.Documents {
		have[d] = true
	}
	for _, d := range want.Documents {
		if !have[d] {
			fmt.Fprintf(&b, "the file is  %+v\n", d)
		}
		delete(have, d)
	}
	for d := range have {
		fmt.Fprintf(&b, "the index has %+v\n", d)
	}
	for _, word := range slices.Sorted(maps.Keys(want.Found)) {
		if !slices.Equal(got.Found[word], want.Found[word]) {
			fmt.Fprintf(&b, "%s is in %q, a search finds %q\n", word, want.Found[word], got.Found[word])
		}
		delete(got.Found, word)
	}
	for word, paths := range got.Found {
		fmt.Fprintf(&b, "%s is in no file, a search finds %q\n", word, paths)
	}
	if b.Len() == 0 && (got.Total != want.Total || !maps.Equal(got.Statuses, want.Statuses)) {
		fmt.Fprintf(&b, "counts %d %v, want %d %v\n", got.Total, got.Statuses, want.Total, want.Statuses)
	}
	if b.Len() == 0 && len(got.Documents) != len(want.Documents) {
		fmt.Fprintf(&b, "%d documents, want %d: some are there twice\n", len(got.Documents), len(want.Documents))
	}
	return b.String()
}
