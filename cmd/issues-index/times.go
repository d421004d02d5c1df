package main

import (
	"strconv"
	"time"
)

// age says how long ago a time is, in one unit, as 5m, 3h, 9d, 5w, 7mo or 3y. A time in the
// future is a date.
func age(now, t time.Time) string {
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

// timeText is a time for people, "" for the zero time: on a terminal the local time and
// how long ago it is, elsewhere UTC.
func (p *program) timeText(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case !isTerminal(p.out):
		return t.UTC().Format("2006-01-02 15:04 UTC")
	}
	now := time.Now()
	text := t.Local().Format("2006-01-02 15:04 MST")
	if ago := age(now, t); ago != "now" && t.Before(now) {
		return text + " (" + ago + " ago)"
	}
	return text
}

// dayText is the day of a time for a table, "" for the zero time: on a terminal its age.
func (p *program) dayText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	if isTerminal(p.out) {
		return age(time.Now(), t)
	}
	return t.UTC().Format(time.DateOnly)
}
