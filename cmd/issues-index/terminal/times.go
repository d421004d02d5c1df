package terminal

import (
	"strconv"
	"time"
)

// Age says how long ago a time is, in one unit, as 5m, 3h, 9d, 5w, 7mo or 3y. A time in the
// future is a date.
func Age(now, t time.Time) string {
	const day = 24 * time.Hour
	ago := now.Sub(t)
	in := func(unit time.Duration, name string) string { return strconv.Itoa(int(ago/unit)) + name }
	switch {
	case ago < -time.Minute:
		return t.In(now.Location()).Format(time.DateOnly)
	case ago < time.Minute:
		return "now"
	case ago < time.Hour:
		return in(time.Minute, "m")
	case ago < day:
		return in(time.Hour, "h")
	case ago < 14*day:
		return in(day, "d")
	case ago < 9*7*day:
		return in(7*day, "w")
	case ago < 2*365*day:
		return in(365*day/12, "mo")
	}
	return in(365*day, "y")
}
