package index

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"issues-index/index/db"
	"issues-index/index/search"
)

// A NearWord is a word of a search that no document has, and the word of documents that was probably
// meant.
type NearWord struct{ Word, Near string }

// NearWords looks for misspelt words in the text of a search that has found nothing, as many as eight.
// Words of fewer than four letters are near to too many others.
func (ix *Index) NearWords(ctx context.Context, text string) (near []NearWord, err error) {
	const most, shortest = 8, 4
	asked := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	asked = slices.DeleteFunc(asked, func(word string) bool { return utf8.RuneCountInString(word) < shortest })
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		vocabulary, err := ix.engine.words(ctx, tx)
		if err != nil {
			return err
		}
		near = nil
		for _, word := range asked[:min(len(asked), most)] {
			if meant := vocabulary.Near(search.Fold(word)); meant != "" {
				near = append(near, NearWord{word, meant})
			}
		}
		return nil
	})
	return near, err
}
