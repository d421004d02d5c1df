package frontmatter

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// dateLayouts are the forms of a date or time that people, editors and other
// trackers write, the usual ones first. Without a zone UTC is meant.
var dateLayouts = []string{
	time.RFC3339,
	time.DateOnly,
	"2006-01-02 15:04",
	time.DateTime,
	"2006-01-02T15:04:05",
	"2006-01-02T15:04",
	"2006-01-02T15:04Z07:00",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05 Z07:00",
	"2006-01-02 15:04Z07:00",
	"2006-01-02 15:04 Z07:00",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04Z0700",
	"2006-01-02 15:04:05 -0700", // git log --date=iso
	"2006-01-02 15:04 -0700",
	"2006-01-02 15:04:05 MST",
	"2006-1-2",
	"2006-1-2 15:04",
	"2006-1-2 15:04:05",
	"2006/01/02",
	"2006/01/02 15:04",
	"2006/01/02 15:04:05",
	"2 Jan 2006",
	"Jan 2, 2006",
	"2 January 2006",
	"January 2, 2006",
	time.RFC1123Z,
	time.RFC1123,
	"Mon Jan 02 2006 15:04:05 GMT-0700", // JavaScript's Date
}

// ParseTime reads a date or time in one of the forms of dateLayouts, such as 2026-02-15 or RFC
// 3339; without a zone it is UTC. The result is UTC, cut to milliseconds. ok is false for any other
// text.
func ParseTime(s string) (t time.Time, ok bool) {
	s, _, _ = strings.Cut(strings.TrimSpace(s), " (") // JavaScript appends the zone's name
	t, layout := parseTime(s)
	t = t.UTC().Truncate(time.Millisecond)
	return t, layout != "" && t.Year() >= 1 && !t.IsZero()
}

// parseTime also returns the layout that a time is written in, "" for none.
func parseTime(s string) (time.Time, string) {
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t, layout
		}
	}
	return time.Time{}, ""
}

// TimeFormat is how a time is written in files that are no documents.
const TimeFormat = "2006-01-02T15:04:05.000Z"

// timeNode is now in the form of the time that stands there: as exact, in its
// zone, bare or quoted. like may be nil: then the time is in UTC, in the given form.
func timeNode(now time.Time, like *yaml.Node, form string) *yaml.Node {
	n := textNode(now.UTC().Format(form))
	n.Style = yaml.SingleQuotedStyle
	if like = target(like); like != nil && like.Kind == yaml.ScalarNode {
		if s, ok := timeLike(OneLine(like.Value), now); ok {
			n.Value, n.Tag, n.Style = s, "!!timestamp", 0
		}
	}
	return n
}

// timeLike writes now as old is written, in milliseconds where that has fractions of a second;
// ok is false when old is no time that the reader knows.
func timeLike(old string, now time.Time) (string, bool) {
	was, layout := parseTime(old)
	if strings.Contains(old, ".") {
		layout = strings.Replace(layout, "05", "05.000", 1)
	}
	s := now.In(was.Location()).Format(layout)
	_, ok := ParseTime(s)
	return s, ok
}
