package answer_test

import (
	"strings"
	"testing"

	_ "issues-index/store/storetest" // sizes, and rarer collections of garbage
	"issues-index/tools/answer"
)

func TestEstimateIsThreeTokensForTenBytes(t *testing.T) {
	for bytes, want := range map[int]int{0: 0, 1: 1, 3: 1, 4: 2, 10: 3, 11: 4, 10_000: 3000} {
		if got := answer.Estimate(bytes); got != want {
			t.Errorf("%d bytes: %d tokens, want %d", bytes, got, want)
		}
	}
}

func TestEachLimitBoundsAnAnswer(t *testing.T) {
	budget := answer.Budget{Tokens: 300, Bytes: 1200, Lines: 10}
	for _, c := range []struct {
		name string
		text string
		want bool
	}{
		{"at the limit of tokens", strings.Repeat("x", 1000), true},
		{"over the limit of tokens", strings.Repeat("x", 1001), false},
		{"over the limit of bytes", strings.Repeat("x", 1201), false},
		{"at the limit of lines", strings.Repeat("\n", 9), true},
		{"over the limit of lines", strings.Repeat("\n", 10), false},
	} {
		if got := budget.Holds(c.text); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if !answer.Unlimited.Holds(strings.Repeat("\n", 1<<20)) {
		t.Error("a budget that is off has a limit")
	}
}
