package store

import (
	"strings"
	"time"
)

// dateLayouts are the forms of a date or time that people, editors and other
// trackers write, the usual ones first. Without a zone UTC is meant.
var dateLayouts = []string{
	time.RFC3339Nano,
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

// ParseTime reads a date or time as UTC in milliseconds.
func ParseTime(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	s, _, _ = strings.Cut(s, " (") // JavaScript appends the zone's name
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			t = t.UTC().Truncate(time.Millisecond)
			return t, t.Year() >= 1 && !t.IsZero()
		}
	}
	return time.Time{}, false
}
