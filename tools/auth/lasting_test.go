package auth

import (
	"context"
	"testing"
)

func TestNoSubjectTakesAllLastingAnswers(t *testing.T) {
	l := &LastingAnswers{Most: 5, Each: 3}
	ann, bob := With(t.Context(), &Principal{Name: "ann"}), With(t.Context(), &Principal{Name: "bob"})
	var ends []func()
	begin := func(ctx context.Context, want bool) {
		t.Helper()
		end, ok := l.Begin(ctx)
		if ok != want {
			t.Fatalf("begun: %v", ok)
		}
		if ok {
			ends = append(ends, end)
		}
	}
	for range 3 {
		begin(ann, true)
	}
	begin(ann, false)
	begin(bob, true)
	begin(bob, true)
	begin(bob, false) // all are taken
	ends[0]()
	ends[0]() // counts once
	begin(ann, true)
	begin(bob, false)
	for _, end := range ends {
		end()
	}
	if l.all != 0 || len(l.of) != 0 {
		t.Errorf("%d are left, %v", l.all, l.of)
	}
	for range 5 { // where nobody is asked
		begin(t.Context(), true)
	}
	begin(t.Context(), false)
}
