package where

import (
	"strconv"
	"strings"
	"time"

	"issues-index/store/pattern"
)

// A period is the time that a value names: a day, or as much as is left open of an
// instant.
type period struct {
	start, end time.Time // end is not part of it
	day        bool
}

// instants are the forms of a time of day, and how exact each is. Without a zone it
// is that of who asks.
var instants = []struct {
	layout string
	exact  time.Duration
}{
	{"2006-01-02T15:04:05Z07:00", time.Second},
	{"2006-01-02T15:04Z07:00", time.Minute},
	{"2006-01-02T15:04:05", time.Second},
	{"2006-01-02T15:04", time.Minute},
	{"2006-01-02 15:04:05", time.Second},
	{"2006-01-02 15:04", time.Minute},
}

// relativeDay is a number of days, weeks, months or years from today.
var relativeDay = pattern.Lazy(`^([+-][0-9]{1,4})([dwmyDWMY])$`)

// parsePeriod reads a date, a time, or a day counted from today. now is in the zone of
// who asks.
func parsePeriod(text string, now time.Time) (period, bool) {
	if strings.EqualFold(text, todayText) {
		return dayOf(now), true
	}
	if m := relativeDay().FindStringSubmatch(text); m != nil {
		n, err := strconv.Atoi(m[1])
		return dayOf(shift(now, n, strings.ToLower(m[2]))), err == nil
	}
	text = strings.ToUpper(text) // as T and Z are in a layout
	if t, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil && t.Year() >= 1 {
		return dayOf(t), true
	}
	for _, form := range instants {
		t, err := time.ParseInLocation(form.layout, text, now.Location())
		if err != nil || t.Year() < 1 {
			continue
		}
		exact := form.exact
		if strings.Contains(text, ".") {
			exact = time.Millisecond
			t = t.Truncate(exact)
		}
		return period{start: t, end: t.Add(exact)}, true
	}
	return period{}, false
}

// isDate reports whether a text is a date or a time.
func isDate(text string) bool {
	_, ok := parsePeriod(text, time.Unix(0, 0).UTC())
	return ok
}

// dayOf is the day of an instant, in its zone.
func dayOf(t time.Time) period {
	y, m, d := t.Date()
	return period{start: time.Date(y, m, d, 0, 0, 0, 0, t.Location()), end: time.Date(y, m, d+1, 0, 0, 0, 0, t.Location()), day: true}
}

// shift moves an instant by days, weeks, months or years. From the last day of a
// month it comes to the last day of a shorter one, not to the one after.
func shift(t time.Time, n int, unit string) time.Time {
	switch unit {
	case "d":
		return t.AddDate(0, 0, n)
	case "w":
		return t.AddDate(0, 0, 7*n)
	case "y":
		n *= 12
	}
	shifted := t.AddDate(0, n, 0)
	if shifted.Day() != t.Day() {
		shifted = shifted.AddDate(0, 0, -shifted.Day())
	}
	return shifted
}

// maxDigits is how many digits a float64 keeps of any number.
const maxDigits = 15

// Number reads a text that is a number in digits: 3, -1.50, 007. One of more digits
// than a number keeps is text.
func Number(text string) (float64, bool) {
	unsigned := strings.TrimLeft(text, "+-")
	if len(text)-len(unsigned) > 1 || len(unsigned) > maxDigits+1 {
		return 0, false
	}
	whole, decimals, point := strings.Cut(unsigned, ".")
	if !digits(whole) || point && !digits(decimals) || len(whole)+len(decimals) > maxDigits {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n + 0, err == nil // no -0
}

// digits reports whether a text is digits, one at least.
func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
