package nats_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
)

// Every call is answered, however many come at once: with what was asked for, or with the words that
// there are too many. Nobody waits in vain.
func TestEveryCallIsAnswered(t *testing.T) {
	const done, busy = 128, 100
	s := newStranger(t)
	var packer share.Packer
	request, err := packer.Pack([]byte("work"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	finish := make(chan struct{})
	release := sync.OnceFunc(func() { close(finish) })
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := s.owner.ServeCalls(ctx, web, func(_ context.Context, request []byte) []byte {
			if string(request) == "work" {
				<-finish
			}
			return []byte("done")
		}); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { end(); release(); serving.Wait() })
	until(t, "the owner", func() bool {
		_, err := s.hub.Call(t.Context(), web, []byte("are you there"))
		if err != nil && !errors.Is(err, share.ErrNoOwner) {
			t.Fatal(err)
		}
		return err == nil
	})

	hub := s.dial(natstest.Hub)
	place := s.inbox(natstest.Hub) + ".answers"
	answers := make(chan *natsgo.Msg, done+busy)
	if _, err := hub.ChanSubscribe(place+".*", answers); err != nil {
		t.Fatal(err)
	}
	for i := range done + busy {
		m := &natsgo.Msg{Subject: "call.web.main", Reply: fmt.Sprint(place, ".", i), Data: request}
		if err := hub.PublishMsg(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := hub.Flush(); err != nil {
		t.Fatal(err)
	}
	// expect receives the answers that have a header, or have none.
	expect := func(calls int, header string) {
		t.Helper()
		for i := range calls {
			select {
			case m := <-answers:
				if isBusy := m.Header.Get("Ii-Busy") != ""; isBusy != (header != "") || m.Header.Get("Status") != "" {
					t.Fatalf("answer %d: %+v", i, m)
				}
			case <-time.After(time.Minute):
				t.Fatalf("of %d calls %d are not answered", calls, calls-i)
			}
		}
	}
	expect(busy, "Ii-Busy")
	if _, err := s.hub.Call(t.Context(), web, []byte("one more")); !errors.Is(err, share.ErrBusy) {
		t.Errorf("one more: %v", err)
	}
	release()
	expect(done, "")
}
