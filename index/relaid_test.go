package index

import (
	"strings"
	"testing"

	"issues-index/store/layout"
)

// A server follows the layout in its workspace's file from the next call on.
func TestAChangedLayoutIsServedAsItIsNow(t *testing.T) {
	t.Parallel()
	w := newTree(t, 10)
	w.mkdir(".wrangler/config")
	c, log := serve(t, w.root, Options{Mode: ModeWatch})
	priorities := func() string {
		t.Helper()
		w.checkServed(c)
		ix, release, err := c.Acquire(t.Context())
		w.must(err)
		defer release()
		return strings.Join(ix.Workspace().Layout.Priorities, " ")
	}
	const standard = "low medium high critical"
	for _, step := range []struct {
		does, text, want string
		logged           int  // lines, together with those of the steps before
		refused          bool // until it is mended
	}{
		{"nothing", "", standard, 0, false},
		{"describes it", "priorities: [p2, p1]", "p2 p1", 1, false},
		{"sets another key", "priorities: [p2, p1]\noutput: text", "p2 p1", 1, false},
		{"breaks the file", "priorities: 3", "p2 p1", 2, true},
		{"leaves it broken", "priorities: 3", "p2 p1", 2, true},
		{"mends it", "priorities: [p2, p1]", "p2 p1", 2, false},
		{"changes it", "priorities: [p3, p2]", "p3 p2", 3, false},
		{"misspells it", "prorities: [p9, p8]", "p3 p2", 4, true},
		{"leaves it misspelt", "prorities: [p9, p8]", "p3 p2", 4, true},
		{"empties it", "", standard, 5, false},
	} {
		w.write(layout.File, step.text)
		if got := priorities(); got != step.want {
			t.Errorf("%s: %s, want %s", step.does, got, step.want)
		}
		ix, release, err := c.Acquire(t.Context())
		w.must(err)
		if refused := ix.Workspace().RefusedLayout(); (refused != nil) != step.refused {
			t.Errorf("%s: refused is %v", step.does, refused)
		}
		release()
		if l := log.all(); len(l) != step.logged {
			t.Errorf("%s: logged %q", step.does, l)
		}
	}
}
