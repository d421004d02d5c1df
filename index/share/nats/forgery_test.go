package nats_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"issues-index/index/share"
	"issues-index/index/share/natstest"
)

// placed are the headers of a sign of life, as the program sends them where none stands.
func placed() natsgo.Header {
	return natsgo.Header{"Nats-Expected-Stream": {"KV_presence"}, "Nats-Expected-Last-Subject-Sequence": {"0"}}
}

// presences are those that a hub sees.
func (s *stranger) presences() []share.Presence {
	s.t.Helper()
	found, err := s.hub.Presences(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return found
}

// delivers has the server deliver what a stream has under some subjects to another subject. At
// the end, which the test waits for, the server puts there that there is no more.
func (s *stranger) delivers(stream, filter, to string) {
	s.t.Helper()
	name := "c" + strings.ToLower(natsgo.NewInbox()[len("_INBOX."):])
	body, err := json.Marshal(consumer(stream, name, object{"filter_subject": filter}))
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.conn.Request("$JS.API.CONSUMER.CREATE."+stream+"."+name+"."+filter, body, 5*time.Second); err != nil {
		s.t.Fatal(err)
	}
	last := func() uint64 {
		m, err := s.admin.GetLastMsg("KV_presence", to)
		if err != nil || len(m.Data) > 0 {
			return 0
		}
		return m.Sequence
	}
	before := last()
	s.send("$JS.API.CONSUMER.MSG.NEXT."+stream+"."+name, to, nil, object{"batch": 100, "no_wait": true})
	until(s.t, "the end of what is delivered to "+to, func() bool { return last() > before })
}

// A presence is that of who may write there, now. The user of another workspace can hide one until
// the next sign of life, and no more.
func TestAForgedPresenceIsNotShown(t *testing.T) {
	s := newStranger(t)
	const webs, forged, careless = "$KV.presence.web.main", "$KV.presence.api.forged", "$KV.presence.api.careless"
	before := s.presences()
	if len(before) != 1 || before[0].Machine != "web" {
		t.Fatalf("%+v", before)
	}
	asWeb := object{"workspace": "web", "line": "main", "machine": "forged", "at": time.Now().Add(time.Hour)}
	s.send(webs, "", placed(), asWeb)
	s.isRefused("a presence of another workspace")
	s.send(forged, "", placed(), asWeb)
	s.send(careless, "", nil, asWeb) // a copy of this one expects nothing of its place
	until(t, "the forged presences", func() bool {
		_, err := s.admin.GetLastMsg("KV_presence", careless)
		return err == nil
	})
	if got := s.presences(); !slices.Equal(got, before) {
		t.Errorf("one that names another line than its place: %+v", got)
	}

	s.delivers("KV_presence", "$KV.presence.>", "$KV.presence.api.end")
	if got := s.presences(); !slices.Equal(got, before) {
		t.Errorf("one that a server has stored again is a new sign of life: %+v, and was %+v", got, before)
	}
	for name, put := range map[string]func(){
		"a forged one, delivered":   func() { s.delivers("KV_presence", forged, webs) },
		"a forged one, looked at":   func() { s.send("$JS.API.DIRECT.GET.KV_presence."+careless, webs, nil, nil) },
		"the state of a stream":     func() { s.send("$JS.API.STREAM.INFO.DOCS", webs, nil, nil) },
		"the answer to a consumer":  func() { s.send("$JS.API.CONSUMER.CREATE.DOCS.x."+s.ownDoc, webs, nil, consumer("DOCS", "x", nil)) },
		"an acknowledged own death": func() { s.send("docs.api.main.z", webs, nil, []byte("x")) },
	} {
		was := s.stored()[webs]
		put()
		until(t, name, func() bool { return s.stored()[webs] != was })
		if got := s.presences(); len(got) != 0 {
			t.Errorf("%s passes for %+v", name, got)
		}
		if err := s.owner.Announce(t.Context(), before[0]); err != nil {
			t.Errorf("after %s: %v", name, err)
		}
		if got := s.presences(); len(got) != 1 || got[0].Machine != "web" {
			t.Errorf("after %s and the next sign of life: %+v", name, got)
		}
	}
	if err := s.admin.PurgeStream("KV_presence", &natsgo.StreamPurgeRequest{Subject: webs}); err != nil {
		t.Fatal(err)
	}
	s.send("$JS.API.DIRECT.GET.KV_presence."+forged, webs, nil, nil)
	until(t, "a whole one in an empty place", func() bool { return s.stored()[webs] != "" })
	if got := s.presences(); len(got) != 0 {
		t.Errorf("a whole one in an empty place passes for %+v", got)
	}
}

// Machines say what they like of themselves. It is shown to people.
func TestWhatAMachineSaysOfItselfIsHarmless(t *testing.T) {
	s := newStranger(t)
	said := func(line string, body object) *share.Presence {
		t.Helper()
		s.send("$KV.presence.api."+line, "", placed(), body)
		if err := s.owner.Announce(t.Context(), share.Presence{Line: web, Machine: line}); err != nil { // comes after it
			t.Fatal(err)
		}
		for _, p := range s.presences() {
			if p.Line.Workspace == "api" && p.Line.Name == line {
				return &p
			}
		}
		return nil
	}
	before := time.Now()
	got := said("odd", object{
		"workspace": "api", "line": "odd", "machine": "\x1b[2J\x1b]0;mac\a\r\nmac\u202e" + strings.Repeat("c", 1000), "version": "1\x1b[31m\u009b", "commit": "\x1b[2Jé",
		"waiting": 3, "at": "2999-01-01T00:00:00Z", "At": "1999-01-01T00:00:00Z",
	})
	if got == nil || !strings.HasPrefix(got.Machine, "[2J]0;macmacccc") || len(got.Machine) > 200 || got.Version != "1[31m" || got.Commit != "[2Jé" || got.Waiting != 3 {
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
	answer, err := s.conn.Request("$KV.presence.api.huge", huge, 5*time.Second)
	if err != nil || !strings.Contains(string(answer.Data), "message size exceeds maximum allowed") {
		t.Errorf("a huge one is stored: %s %v", answer.Data, err)
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
			_, _ = s.hub.Call(ctx, api, "k", []byte("x")) // nobody answers
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
			answer, err := s.hub.Call(ctx, web, "k", []byte("x"))
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
