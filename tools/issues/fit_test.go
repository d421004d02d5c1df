package issues

import "testing"

func TestMost(t *testing.T) {
	for last := range 40 {
		for want := range last + 1 {
			for guess := -1; guess <= last+2; guess++ {
				looks := 0
				got := most(last, guess, func(n int) bool {
					if looks++; n < 1 || n > last {
						t.Fatalf("looked at %d of %d", n, last)
					}
					return n <= want
				})
				if got != want || looks > 14 {
					t.Fatalf("of %d, guessing %d: %d after %d looks, want %d", last, guess, got, looks, want)
				}
			}
		}
	}
}
