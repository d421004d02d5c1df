package tools

import (
	"strconv"
	"strings"
	"time"
)

// isoLayouts are the forms of a date or date-time.
var isoLayouts = []string{
	time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04",
	time.DateTime, "2006-01-02 15:04",
}

// maxAge bounds a number of days or weeks ago, so that it is a date.
const maxAge = 36500

// ParseTime reads a time as people and models write it: an ISO date, which is its first
// moment, or date-time; a time before now such as 90m, 24h, 7d or 2w; today or yesterday.
// What names no zone is in that of now, as in criteria (package index/where), and so is the
// result. It returns false for anything else.
func ParseTime(text string, now time.Time) (time.Time, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch text {
	case "today":
		return day, true
	case "yesterday":
		return day.AddDate(0, 0, -1), true
	}
	for _, layout := range isoLayouts {
		if when, err := time.ParseInLocation(layout, strings.ToUpper(text), now.Location()); err == nil {
			return when, true
		}
	}
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		digits, ok := strings.CutSuffix(text, unit)
		if n, err := strconv.Atoi(digits); ok && err == nil && n >= 0 && n <= maxAge {
			return now.AddDate(0, 0, -n*days), true
		}
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), true
	}
	return time.Time{}, false
}
