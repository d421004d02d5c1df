package edit

import (
	"strings"
	"testing"

	"issues-index/store"
)

func TestClosingNamesTheOpenBoxes(t *testing.T) {
	document := func(status, body string) *store.Document {
		d := &store.Document{Body: body}
		d.Status = status
		return d
	}
	const many = "- [ ] a\n- [ ] b\n- [x] c\n- [ ] d\n- [ ] e\n- [ ] f\n- [ ] g\n"
	for _, c := range []struct {
		name          string
		before, after *store.Document
		want          string
	}{
		{"one", document("open", ""), document("closed", "- [x] a\n- [ ] Write *tests*\n"), `1 box is still open: 2 "Write *tests*"`},
		{"the first five of many", document("", ""), document("closed", many), `6 boxes are still open: 1 "a", 2 "b", 4 "d", 5 "e", 6 "f" and 1 more`},
		{"each cut", document("open", ""), document("closed", "- [ ] "+strings.Repeat("long ", 40)), `1 box is still open: 1 "` + strings.Repeat("long ", 11) + `long…"`},
		{"none where all are checked", document("open", ""), document("closed", "- [x] a\n"), ""},
		{"none of cancelled work", document("open", ""), document("cancelled", many), ""},
		{"none of what was closed before", document("closed", ""), document("closed", many), ""},
		{"none of a new document", nil, document("closed", many), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := (Applied{Written: store.Written{Before: c.before, After: c.after}}).StillOpen(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
