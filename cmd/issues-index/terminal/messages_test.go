package terminal

import (
	"strings"
	"testing"
	"time"
)

func TestAPersonIsToldOfALongWait(t *testing.T) {
	const wait = time.Second
	var out strings.Builder
	now := time.Now()
	w := &progressReporter{out: &out, work: "Indexing documents", after: wait, now: func() time.Time { return now }}
	work := func(lasts time.Duration) string {
		out.Reset()
		for done := range 101 {
			w.update(done, 100)
			now = now.Add(lasts / 100)
		}
		return out.String()
	}
	if said := work(wait / 2); said != "" {
		t.Errorf("of a short wait it says %q", said)
	}
	for range 2 {
		if said := work(2 * wait); !strings.Contains(said, "Indexing documents") || !strings.Contains(said, "/100)") {
			t.Errorf("of a long wait it says %q", said)
		} else if lines := strings.Split(said, "\r"); lines[len(lines)-1] != "\x1b[K" {
			t.Errorf("when it is over, it leaves %q", lines[len(lines)-1])
		}
	}
	now = now.Add(time.Hour) // between two pieces of work nobody waits
	if said := work(wait / 2); said != "" {
		t.Errorf("of a short wait after a long one it says %q", said)
	}
}
