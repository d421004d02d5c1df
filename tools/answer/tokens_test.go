package answer

import (
	"sync"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

var o200k = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.O200kBase) })

// tokens counts for real.
func tokens(t testing.TB, text string) int {
	t.Helper()
	codec, err := o200k()
	if err != nil {
		t.Fatal(err)
	}
	count, err := codec.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return count
}
