package share

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

func TestAnswersAreKeptWithinABound(t *testing.T) {
	for name, size := range map[string]int{"many small ones": 1, "large ones": 1 << 20} {
		t.Run(name, func(t *testing.T) {
			var a AnsweredCalls
			const calls = 3 * mostAnswers
			last := ""
			for i := range calls {
				last = fmt.Sprint(i)
				if _, err := a.Do(t.Context(), last, func() []byte { return make([]byte, size) }); err != nil {
					t.Fatal(err)
				}
			}
			if kept := len(a.calls); kept != len(a.kept) || kept > mostAnswers || kept*size > mostAnswerSize || kept < min(mostAnswers, mostAnswerSize/size) {
				t.Errorf("%d answers of %d bytes are kept", kept, size)
			}
			for key, again := range map[string]bool{last: false, "0": true} {
				done := false
				if _, err := a.Do(t.Context(), key, func() []byte { done = true; return nil }); err != nil || done != again {
					t.Errorf("the call %s is done again: %v, want %v; %v", key, done, again, err)
				}
			}
		})
	}
}

// A caller that has given up does not wait for the one that had the same key before it.
func TestACallThatComesAgainWaitsAsLongAsItsCaller(t *testing.T) {
	var a AnsweredCalls
	working, finish, finished := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(finished)
		_, _ = a.Do(context.Background(), "k", func() []byte { // it has no error: it is the first
			close(working)
			<-finish
			return []byte("once")
		})
	}()
	<-working
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Do(ctx, "k", func() []byte { return []byte("again") }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for i := range 2 * mostAnswers { // what is being done is not forgotten, whatever comes meanwhile
		_, _ = a.Do(t.Context(), fmt.Sprint(i), func() []byte { return nil })
	}
	close(finish)
	<-finished
	if got, err := a.Do(t.Context(), "k", func() []byte { return []byte("again") }); string(got) != "once" || err != nil {
		t.Errorf("%q %v", got, err)
	}
}
