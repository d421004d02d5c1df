package frontmatter

import "testing"

func TestANewDocumentWithAKeyTwiceIsRefused(t *testing.T) {
	for _, key := range []string{"id", ContextKey} {
		if out, err := New([]Assignment{{key, raw(`{"a":1}`)}, {key, "c"}}, []Assignment{{"b", raw("2")}}, "text"); err == nil {
			t.Errorf("%s: %q", key, out)
		}
	}
}
