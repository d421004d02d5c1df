package frontmatter

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"issues-index/store/layout"
)

// Whatever a person makes of a document, only its times differ from what the person wrote.
func TestRestampChangesTheTimesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := drawDocument(t, "before"), drawDocument(t, "after")
		out, err := Restamp(Parse([]byte(before), "", layout.Default()), Parse([]byte(after), "", layout.Default()), editTime)
		if err != nil {
			t.Fatal(err)
		}
		if reason := differsElsewhere(after, string(out), set("status", "any")); reason != "" {
			t.Fatalf("%s\nwritten %q\nbecame %q", reason, after, out)
		}
		was, is, now := Parse([]byte(before), "", layout.Default()), Parse([]byte(after), "", layout.Default()), Parse(out, "", layout.Default())
		stamped := editTime.Truncate(time.Second)
		if is.Updated.Equal(was.Updated) != now.Updated.Truncate(time.Second).Equal(stamped) {
			t.Errorf("updated %v, then %v, became %v", was.Updated, is.Updated, now.Updated)
		}
		closed := is.Closed
		if is.Closed.Equal(was.Closed) && layout.Default().Finished(was.Status) != layout.Default().Finished(is.Status) {
			closed = time.Time{}
			if layout.Default().Finished(is.Status) {
				closed = stamped
			}
		}
		if !now.Closed.Truncate(time.Second).Equal(closed) {
			t.Errorf("status %s, then %s: closed %v, then %v, became %v", was.Status, is.Status, was.Closed, is.Closed, now.Closed)
		}
	})
}

// drawDocument is a document with some of the fields that Restamp looks at.
func drawDocument(t *rapid.T, label string) string {
	draw := func(field string, choices ...string) string {
		return rapid.SampledFrom(choices).Draw(t, label+" "+field)
	}
	text := fmt.Sprintf("---\ntitle: %s\n%s%s%s---\n%s", draw("title", "A", "'B # c' # d"),
		draw("status", "status: open\n", "status: closed # why\n", "status: cancelled\n", ""),
		draw("updatedAt", "updatedAt: '2026-01-01T10:00:00.000Z'\n", "updated: 2026-02-02T10:00:00Z # by hand\n", ""),
		draw("closedAt", "closedAt: '2026-01-01T10:00:00.000Z'\n", "closedAt: 2026-02-02T10:00:00.000Z\n", ""),
		draw("body", "Text.\n", "", "\nNo line end"))
	return strings.ReplaceAll(text, "\n", draw("line end", "\n", "\r\n"))
}
