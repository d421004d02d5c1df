package nats_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
)

// presences are those that a hub sees.
func (s *stranger) presences() []share.Presence {
	s.t.Helper()
	found, err := s.hub.Presences(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return found
}

// Machines say what they like of themselves, but not where and when.
func TestWhatAMachineSaysOfItselfIsHarmless(t *testing.T) {
	s := newStranger(t)
	said := func(line string, body object) *share.Presence {
		t.Helper()
		s.send("$KV.presence.api."+line, "", nil, body)
		if err := s.owner.Announce(t.Context(), share.Presence{Branch: web, Machine: line}); err != nil { // comes after it
			t.Fatal(err)
		}
		for _, p := range s.presences() {
			if p.Branch.Workspace == "api" && p.Branch.Name == line {
				return &p
			}
		}
		return nil
	}
	before := time.Now()
	got := said("odd", object{
		"workspace": "api", "line": "odd", "machine": "mac", "waiting": 3, "at": "2999-01-01T00:00:00Z", "At": "1999-01-01T00:00:00Z",
	})
	if got == nil || got.Machine != "mac" || got.Waiting != 3 {
		t.Fatalf("%+v", got)
	}
	if got.At.Before(before.Add(-time.Minute)) || got.At.After(time.Now().Add(time.Minute)) {
		t.Errorf("it was heard at %s, as it says itself", got.At)
	}
	for line, body := range map[string]object{
		"negative":     {"workspace": "api", "line": "negative", "waiting": -1},
		"\x1b[31mred":  {"workspace": "api", "line": "\x1b[31mred"},
		"Capitals":     {"workspace": "api", "line": "Capitals"},
		"other":        {"workspace": "api", "line": "another"},
		"many-numbers": {"workspace": "api", "line": "many-numbers", "waiting": 1e300},
	} {
		if got := said(line, body); got != nil {
			t.Errorf("%q is there: %+v", line, got)
		}
	}
	huge, err := json.Marshal(object{"workspace": "api", "line": "huge", "machine": strings.Repeat("c", 900_000)})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.conn.Request("$KV.presence.api.huge", huge, time.Minute)
	if err != nil || !strings.Contains(string(answer.Data), "message size exceeds maximum allowed") {
		t.Errorf("a huge one is stored: %s %v", answer.Data, err)
	}
}

// A workspace has as many lines as it says, and a hub looks at some of them.
func TestSignsOfLifeAreLookedAtWithinABound(t *testing.T) {
	const lines, most = 600, 500
	s := newStranger(t)
	for i := range lines {
		name := fmt.Sprintf("line-%d", i)
		s.send("$KV.presence.api."+name, "", nil, object{"workspace": "api", "line": name})
	}
	if err := s.conn.Flush(); err != nil {
		t.Fatal(err)
	}
	var of map[string]int
	until(t, "the signs of life", func() bool {
		of = map[string]int{}
		for _, p := range s.presences() {
			of[p.Branch.Workspace]++
		}
		return of["api"] >= most
	})
	if of["api"] != most || of["web"] != 1 {
		t.Errorf("%v", of)
	}
}

// Who is called learns where its own answer goes, and of no other.
func TestAnAnswerComesFromWhoIsCalled(t *testing.T) {
	s := newStranger(t)
	for _, subject := range []string{"call.web.main", "call.*.main", "call.>"} {
		if _, err := s.conn.QueueSubscribeSync(subject, "owners"); err != nil {
			t.Fatal(err)
		}
		if err := s.conn.Flush(); err != nil {
			t.Fatal(err)
		}
		s.isRefused("answering " + subject)
	}

	called := make(chan *natsgo.Msg, 10)
	if _, err := s.conn.ChanQueueSubscribe("call.api.main", "owners", called); err != nil {
		t.Fatal(err)
	}
	if err := s.conn.Flush(); err != nil {
		t.Fatal(err)
	}
	prefix := s.inbox(natstest.Hub) + "."
	var places []string
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, _ = s.hub.Call(ctx, api, []byte("x")) // nobody answers
		}()
		m := <-called
		cancel()
		place, ofHub := strings.CutPrefix(m.Reply, prefix)
		if !ofHub || len(place) < 26 || strings.Contains(place, ".") {
			t.Errorf("the answer is to go to %q", m.Reply)
		}
		places = append(places, place)
	}
	if len(places[0]) < 8 || len(places[1]) < 8 || places[0][:8] == places[1][:8] {
		t.Errorf("from one place follows another: %q", places)
	}

	// While a call to web is answered, the stranger tries what it has learnt.
	working, finish := make(chan struct{}), make(chan struct{})
	ctx, end := context.WithCancel(t.Context())
	defer end()
	go func() {
		_ = s.owner.ServeCalls(ctx, web, func(context.Context, []byte) []byte {
			working <- struct{}{}
			<-finish
			return []byte("of web")
		})
	}()
	answered := make(chan string, 1)
	go func() {
		for {
			answer, err := s.hub.Call(ctx, web, []byte("x"))
			if errors.Is(err, share.ErrNoOwner) && ctx.Err() == nil { // not yet
				continue
			}
			answered <- string(answer)
			return
		}
	}()
	<-working
	for _, place := range places {
		s.send("$JS.API.DIRECT.GET.DOCS."+s.ownDoc, prefix+place, nil, nil)
	}
	s.send(prefix+"x", "", nil, []byte("forged"))
	s.isRefused("an answer to a hub that has not called")
	close(finish)
	if got := <-answered; got != "of web" {
		t.Errorf("the hub is answered %q", got)
	}
}
