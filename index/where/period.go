package where

import (
	"strconv"
	"strings"
	"time"

	"issues-index/store/pattern"
)

// TimeForms names the forms that ParseTime reads, for errors.
const TimeForms = "a day such as 2026-02-15, today or yesterday, a time such as 2026-02-15T10:00:00Z, " +
	"or how long ago: 90m, 24h, 7d, 2w, 3mo, 1y"

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

// Times are counted from now, back without a sign and with -, ahead with +. Hours, minutes
// and seconds lead to an instant; days, weeks, months and years to a whole day.
var (
	relativeClock = pattern.Lazy(`^([+-]?)((?:[0-9]{1,9}[hms])+)$`)
	relativeDay   = pattern.Lazy(`^([+-]?)([0-9]{1,6})(mo|[dwy])$`)
)

// ParseTime reads a time as people and models write it, see TimeForms: the first instant of
// the day where it is a day. What names no zone is in that of now. It returns false for
// anything else, and for years that a date of four digits does not have.
func ParseTime(text string, now time.Time) (time.Time, bool) {
	p, ok := parsePeriod(strings.TrimSpace(text), now)
	return p.start, ok
}

// parsePeriod reads a day or a time, also when it is counted from now. now is in the zone of
// the caller.
func parsePeriod(text string, now time.Time) (p period, ok bool) {
	switch lower := strings.ToLower(text); {
	case lower == "today":
		p = dayOf(now)
	case lower == "yesterday":
		p = dayOf(now.AddDate(0, 0, -1))
	case relativeDay().MatchString(lower):
		m := relativeDay().FindStringSubmatch(lower)
		n, err := strconv.Atoi(m[2])
		if err != nil {
			return period{}, false
		}
		if m[1] != "+" {
			n = -n
		}
		p = dayOf(shift(now, n, m[3]))
	case relativeClock().MatchString(lower):
		m := relativeClock().FindStringSubmatch(lower)
		length, err := time.ParseDuration(m[2])
		if err != nil {
			return period{}, false
		}
		if m[1] != "+" {
			length = -length
		}
		p.start = now.Add(length).Truncate(time.Millisecond)
		p.end = p.start.Add(time.Millisecond)
	default:
		p, ok = parseInstant(strings.ToUpper(text), now.Location()) // as T and Z are in a layout
		return p, ok && p.start.Year() >= 1
	}
	return p, p.start.Year() >= 1 && p.end.Year() <= 9999
}

// parseInstant reads a date or a time that is not counted from now.
func parseInstant(text string, zone *time.Location) (period, bool) {
	if t, err := time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		return dayOf(t), true
	}
	for _, form := range instants {
		t, err := time.ParseInLocation(form.layout, text, zone)
		if err != nil {
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

// isDate reports whether a text is a date or a time wherever it stands. A count without a sign,
// such as 3d, may be a person's own text, and is none.
func isDate(text string) bool {
	if digits(text[:min(1, len(text))]) && (relativeDay().MatchString(strings.ToLower(text)) || isClock(text)) {
		return false
	}
	_, ok := parsePeriod(text, time.Unix(0, 0).UTC())
	return ok
}

// isClock reports whether a text counts hours, minutes or seconds.
func isClock(text string) bool { return relativeClock().MatchString(strings.ToLower(text)) }

// dayOf is the day of an instant, in its zone.
func dayOf(t time.Time) period {
	y, m, d := t.Date()
	midnight := func(day int) time.Time { return time.Date(y, m, day, 0, 0, 0, 0, t.Location()) }
	return period{start: midnight(d), end: midnight(d + 1), day: true}
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
