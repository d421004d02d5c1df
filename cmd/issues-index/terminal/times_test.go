package terminal

import (
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Date(2026, 3, 1, 22, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		ago  time.Duration
		want string
	}{
		{-3 * day, "2026-03-04"},
		{-time.Second, "now"},
		{59 * time.Second, "now"},
		{time.Minute, "1m"},
		{time.Hour - 1, "59m"},
		{day - 1, "23h"},
		{day, "1d"},
		{14*day - 1, "13d"},
		{14 * day, "2w"},
		{63*day - 1, "8w"},
		{63 * day, "2mo"},
		{365 * day, "12mo"},
		{2 * 365 * day, "2y"},
		{20 * 365 * day, "20y"},
	} {
		if got := Age(now, now.Add(-c.ago)); got != c.want {
			t.Errorf("%v ago is %q, want %q", c.ago, got, c.want)
		}
	}
}
