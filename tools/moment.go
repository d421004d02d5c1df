package tools

import (
	"strconv"
	"strings"
	"time"
)

// isoLayouts are the forms of a date or date-time, in UTC unless it names a zone.
var isoLayouts = []string{
	time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04",
	time.DateTime, "2006-01-02 15:04",
}

// maxAge bounds a number of days or weeks ago, so that it is a date.
const maxAge = 36500

// ParseTime reads a time as people and models write it: an ISO date, which is its first
// moment in UTC as in a document, or date-time; a time before now such as 90m, 24h, 7d or
// 2w; today or yesterday, which begin in the zone of now. It returns false for anything
// else.
func ParseTime(text string, now time.Time) (time.Time, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch text {
	case "today":
		return day.UTC(), true
	case "yesterday":
		return day.AddDate(0, 0, -1).UTC(), true
	}
	for _, layout := range isoLayouts {
		if when, err := time.Parse(layout, strings.ToUpper(text)); err == nil {
			return when.UTC(), true
		}
	}
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		digits, ok := strings.CutSuffix(text, unit)
		if n, err := strconv.Atoi(digits); ok && err == nil && n >= 0 && n <= maxAge {
			return now.AddDate(0, 0, -n*days).UTC(), true
		}
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago).UTC(), true
	}
	return time.Time{}, false
}
