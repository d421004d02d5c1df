package toolstest

import (
	"sync"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

var o200k = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.O200kBase) })

// Tokens counts the tokens of a text by a tokenizer that models use, o200k.
func Tokens(tb testing.TB, text string) int {
	tb.Helper()
	codec, err := o200k()
	if err != nil {
		tb.Fatal(err)
	}
	count, err := codec.Count(text)
	if err != nil {
		tb.Fatal(err)
	}
	return count
}
