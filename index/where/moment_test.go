package where

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseTime(t *testing.T) {
	zone := time.FixedZone("", -5*3600)
	now := time.Date(2026, 3, 1, 22, 30, 0, 0, zone) // in UTC it is the 2nd
	at := func(text string) time.Time {
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	for _, c := range []struct {
		text string
		want time.Time
	}{
		{"2026-02-15", at("2026-02-15T00:00:00-05:00")},
		{"2026-02-15T10:30", at("2026-02-15T10:30:00-05:00")},
		{" 2026-02-15 10:30:00 ", at("2026-02-15T10:30:00-05:00")},
		{"2026-02-15t10:00:00+02:00", at("2026-02-15T08:00:00Z")},
		{"today", at("2026-03-01T05:00:00Z")},
		{"Yesterday", at("2026-02-28T05:00:00Z")},
		{"90m", at("2026-03-02T02:00:00Z")},
		{"-90M", at("2026-03-02T02:00:00Z")},
		{"+1h30m", at("2026-03-02T05:00:00Z")},
		{"24h", at("2026-03-01T03:30:00Z")},
		{"0d", at("2026-03-01T05:00:00Z")}, // whole days from here on
		{"7d", at("2026-02-22T05:00:00Z")},
		{"-7d", at("2026-02-22T05:00:00Z")},
		{"2W", at("2026-02-15T05:00:00Z")},
		{"+2w", at("2026-03-15T05:00:00Z")},
		{"1mo", at("2026-02-01T05:00:00Z")},
		{"1y", at("2025-03-01T05:00:00Z")},
	} {
		if got, ok := ParseTime(c.text, now); !ok || !got.Equal(c.want) {
			t.Errorf("%q is %v, want %v", c.text, got, c.want)
		}
	}
	for _, text := range []string{"", "tomorrow", "7", "d", "7.5d", "2026-02-30", "99999999d", "9999999w", "9999y", "in 7d", "--7d", "1d2h", "999999999h999999999h", "0"} {
		if got, ok := ParseTime(text, now); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestNoTextIsATimeInTheFutureUnlessItIsADate(t *testing.T) {
	now := time.Date(2026, 3, 1, 22, 30, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?[0-9]{0,12}(d|w|h|m|mo|y|s|D|W)?`).Draw(t, "text")
		if when, ok := ParseTime(text, now); ok && when.After(now) {
			t.Fatalf("%q is %v", text, when)
		}
	})
}
