package nats_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"issues-index/index/team/nats"
	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

var web = mirror.Branch{Workspace: "web", Name: mirror.Main}

// A stranger is the user of the workspace api, who does not keep to what this program sends.
type stranger struct {
	t       *testing.T
	cluster *natstest.Cluster
	admin   natsgo.JetStreamContext
	conn    *natsgo.Conn
	refused chan error // what the server has refused
	webDoc  string     // the subject of a document of web
	ownDoc  string     // that of one of api
	owner   *nats.TeamConnection
	hub     *nats.TeamConnection
	lease   share.TeamLease // of web
	before  map[string]string
}

// newStranger starts a cluster in which web has something of everything.
func newStranger(t *testing.T) *stranger {
	t.Helper()
	cluster := natstest.Start(t, 1)
	s := &stranger{t: t, cluster: cluster, refused: make(chan error, 1000), owner: cluster.Connect(natstest.Web), hub: cluster.Connect(natstest.Hub)}
	v := ofWeb(1, "of web")
	if ack := s.owner.Publish(t.Context(), []share.DocumentVersion{v})[0]; ack.Err != nil {
		t.Fatal(ack.Err)
	}
	var err error
	if s.lease, err = s.owner.Take(t.Context(), share.TeamLease{Workspace: "web", Key: "iss-1", Nonce: "n", Holder: "web"}, time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := s.owner.NextNumber(t.Context(), "web", "ISS", 5); err != nil {
		t.Fatal(err)
	}
	if err := s.owner.Announce(t.Context(), share.Presence{Branch: web, Machine: "web"}); err != nil {
		t.Fatal(err)
	}
	own := version("a.md", 1, "of api")
	if ack := cluster.Connect(natstest.API).Publish(t.Context(), []share.DocumentVersion{own})[0]; ack.Err != nil {
		t.Fatal(ack.Err)
	}
	s.webDoc, s.ownDoc = share.DocumentSubject(web, v.Path), share.DocumentSubject(api, own.Path)
	if s.admin, err = s.dial(natstest.Administrator).JetStream(); err != nil {
		t.Fatal(err)
	}
	s.conn = s.dial(natstest.API)
	s.before = s.stored()
	return s
}

func ofWeb(rev uint64, text string) share.DocumentVersion {
	v := version("w.md", rev, text)
	v.Branch = web
	return v
}

func (s *stranger) dial(user string) *natsgo.Conn {
	s.t.Helper()
	seed, err := natsgo.NkeyOptionFromSeed(s.cluster.Options(user).Credentials)
	if err != nil {
		s.t.Fatal(err)
	}
	conn, err := natsgo.Connect("nats://"+s.cluster.Plan.Nodes[0].Client, seed, natsgo.CustomInboxPrefix(s.inbox(user)),
		natsgo.ErrorHandler(func(_ *natsgo.Conn, _ *natsgo.Subscription, err error) { s.refused <- err }))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(conn.Close)
	return conn
}

func (s *stranger) inbox(user string) string {
	return nats.InboxPrefix(s.cluster.Public(user))
}

// stored is all that the streams have of web.
func (s *stranger) stored() map[string]string {
	s.t.Helper()
	found := map[string]string{}
	for stream, subjects := range map[string]string{"DOCS": "docs.web.>", "IDS": "ids.web.>", "KV_claims": "$KV.claims.web.>", "KV_presence": "$KV.presence.web.>"} {
		info, err := s.admin.StreamInfo(stream, &natsgo.StreamInfoRequest{SubjectsFilter: subjects})
		if err != nil {
			s.t.Fatal(err)
		}
		found[stream] = fmt.Sprint(info.Created)
		for subject := range info.State.Subjects {
			m, err := s.admin.GetLastMsg(stream, subject)
			if err != nil {
				s.t.Fatal(err)
			}
			found[subject] = fmt.Sprint(m.Sequence, m.Header, string(m.Data))
		}
	}
	return found
}

// send sends anything; a body that is no text is written as JSON.
func (s *stranger) send(subject, reply string, header natsgo.Header, body any) {
	s.t.Helper()
	data, ok := body.([]byte)
	if !ok && body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := s.conn.PublishMsg(&natsgo.Msg{Subject: subject, Reply: reply, Header: header, Data: data}); err != nil {
		s.t.Fatal(err)
	}
	if err := s.conn.Flush(); err != nil {
		s.t.Fatal(err)
	}
}

type object map[string]any

// consumer is a request for a consumer.
func consumer(stream, name string, config object) object {
	all := object{"name": name, "ack_policy": "none", "deliver_policy": "all", "mem_storage": true, "num_replicas": 1, "inactive_threshold": int64(time.Minute)}
	maps.Copy(all, config)
	return object{"stream_name": stream, "config": all}
}

// What is not of a workspace can neither be written nor read nor listened to with its
// credentials. The server refuses each of these by its subject.
func TestAServerRefusesWhatIsOfAnotherWorkspace(t *testing.T) {
	s := newStranger(t)
	inbox := s.conn.NewInbox()
	type request struct {
		subject string
		body    any
	}
	requests := map[string]request{
		"a document":                          {s.webDoc, []byte("x")},
		"a claim":                             {"$KV.claims.web.iss-1", []byte("{}")},
		"a new claim":                         {"$KV.claims.web.iss-2", []byte("{}")},
		"a number":                            {"ids.web.ISS", nil},
		"a presence":                          {"$KV.presence.web.main", []byte("{}")},
		"a call":                              {"call.web.main", nil},
		"an answer into another's inbox":      {s.inbox(natstest.Web) + ".x", nil},
		"an acknowledgement":                  {"$JS.ACK.DOCS.c.1.1.1.1.0", nil},
		"the end of a stream":                 {"$JS.API.STREAM.DELETE.DOCS", nil},
		"a purge":                             {"$JS.API.STREAM.PURGE.DOCS", object{"filter": "docs.web.>"}},
		"a purge of its own":                  {"$JS.API.STREAM.PURGE.DOCS", object{"filter": "docs.api.>"}},
		"other settings":                      {"$JS.API.STREAM.UPDATE.DOCS", object{"name": "DOCS", "subjects": []string{"docs.*.*.*"}, "max_age": int64(time.Second)}},
		"a stream":                            {"$JS.API.STREAM.CREATE.MINE", object{"name": "MINE", "sources": []object{{"name": "DOCS"}}}},
		"a snapshot":                          {"$JS.API.STREAM.SNAPSHOT.DOCS", object{"deliver_subject": inbox}},
		"another leader":                      {"$JS.API.STREAM.LEADER.STEPDOWN.DOCS", nil},
		"the list of streams":                 {"$JS.API.STREAM.LIST", nil},
		"a message by its number":             {"$JS.API.STREAM.MSG.GET.DOCS", object{"seq": 1}},
		"the end of a message":                {"$JS.API.STREAM.MSG.DELETE.DOCS", object{"seq": 1}},
		"a direct look at a number":           {"$JS.API.DIRECT.GET.DOCS", object{"seq": 1}},
		"a direct look at many":               {"$JS.API.DIRECT.GET.DOCS", object{"multi_last": []string{"docs.web.>"}, "batch": 10}},
		"a direct look at a document":         {"$JS.API.DIRECT.GET.DOCS." + s.webDoc, nil},
		"a direct look at a claim":            {"$JS.API.DIRECT.GET.KV_claims.$KV.claims.web.iss-1", nil},
		"a direct look at its own number":     {"$JS.API.DIRECT.GET.IDS.ids.api.ISS", nil},
		"a consumer of documents":             {"$JS.API.CONSUMER.CREATE.DOCS.c1." + s.webDoc, consumer("DOCS", "c1", object{"filter_subject": s.webDoc})},
		"a consumer of all documents":         {"$JS.API.CONSUMER.CREATE.DOCS.c2.docs.*.*.*", consumer("DOCS", "c2", object{"filter_subject": "docs.*.*.*"})},
		"a consumer of claims":                {"$JS.API.CONSUMER.CREATE.KV_claims.c3.$KV.claims.web.>", consumer("KV_claims", "c3", object{"filter_subject": "$KV.claims.web.>"})},
		"a consumer without a filter":         {"$JS.API.CONSUMER.CREATE.DOCS.c4", consumer("DOCS", "c4", nil)},
		"a consumer of several subjects":      {"$JS.API.CONSUMER.CREATE.DOCS.c5", consumer("DOCS", "c5", object{"filter_subjects": []string{"docs.api.>", "docs.web.>"}})},
		"a consumer of the old kind":          {"$JS.API.CONSUMER.CREATE.DOCS", consumer("DOCS", "", object{"name": "", "filter_subject": "docs.web.>"})},
		"a durable consumer":                  {"$JS.API.CONSUMER.DURABLE.CREATE.DOCS.c6", consumer("DOCS", "c6", object{"durable_name": "c6", "filter_subject": "docs.web.>"})},
		"a consumer of numbers":               {"$JS.API.CONSUMER.CREATE.IDS.c7.ids.api.>", consumer("IDS", "c7", object{"filter_subject": "ids.api.>"})},
		"the names of consumers":              {"$JS.API.CONSUMER.NAMES.DOCS", nil},
		"a look at a consumer":                {"$JS.API.CONSUMER.INFO.DOCS.c", nil},
		"the end of a consumer":               {"$JS.API.CONSUMER.DELETE.DOCS.c", nil},
		"a consumer's pause":                  {"$JS.API.CONSUMER.PAUSE.DOCS.c", object{"pause_until": time.Now().Add(time.Hour)}},
		"a request of the system's":           {"$SYS.REQ.SERVER.PING", nil},
		"a message among the servers' own":    {"$NRG.x", nil},
		"another leader of all":               {"$JS.API.META.LEADER.STEPDOWN", nil},
		"the removal of a server":             {"$JS.API.SERVER.REMOVE", object{"peer": "node1"}},
		"the end of all of an account's data": {"$JS.API.ACCOUNT.PURGE.$G", nil},
	}
	for name, r := range requests {
		s.send(r.subject, inbox, nil, r.body)
		s.isRefused(name)
	}
	for _, subject := range []string{">", "docs.>", s.webDoc, "call.web.main", "call.web.>", "call.*.main", s.inbox(natstest.Web) + ".>", "_INBOX.>", "$JS.>", "$KV.>", "$SYS.>", "ids.>"} {
		if _, err := s.conn.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		if err := s.conn.Flush(); err != nil {
			t.Fatal(err)
		}
		s.isRefused("listening to " + subject)
	}
	// Names say what a consumer is for; what it filters has to agree.
	for name, config := range map[string]object{
		"another filter than it says":       {"filter_subject": s.webDoc},
		"no filter though it says one":      {},
		"more filters than it says":         {"filter_subjects": []string{s.ownDoc, s.webDoc}},
		"delivery to its stream's subjects": {"filter_subject": s.ownDoc, "deliver_subject": "docs.web.main.x"},
	} {
		body, err := json.Marshal(consumer("DOCS", "c8", config))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := s.conn.Request("$JS.API.CONSUMER.CREATE.DOCS.c8."+s.ownDoc, body, 5*time.Second)
		var got struct{ Error *struct{ Description string } }
		if err != nil || json.Unmarshal(answer.Data, &got) != nil || got.Error == nil {
			t.Errorf("a consumer with %s: %v %s", name, err, answer.Data)
		}
	}
	if after := s.stored(); !maps.Equal(s.before, after) {
		t.Errorf("of web there is %q, and was %q", after, s.before)
	}
}

// isRefused waits until the server has refused something.
func (s *stranger) isRefused(name string) {
	s.t.Helper()
	select {
	case <-s.refused:
	case <-time.After(time.Minute):
		s.t.Errorf("%s is not refused", name)
	}
}

// A server puts its answer wherever a request says, whoever may write there. It replaces what stood there; nobody takes it for a version or a lease.
func TestWhatAServerPutsIntoAnotherWorkspaceIsNotBelieved(t *testing.T) {
	s := newStranger(t)
	forged := ofWeb(2, "forged")
	forged.Fence = 1 << 60
	forged.Hash = share.HashOf(forged.Data)
	header := natsgo.Header(forged.Header())
	body, err := new(share.Packer).Pack(forged.Data)
	if err != nil {
		t.Fatal(err)
	}
	careless := maps.Clone(header)
	delete(careless, "Nats-Expected-Last-Subject-Sequence")
	delete(careless, "Nats-Expected-Stream")
	careless["Nats-Stream"] = []string{""} // stands before that of the server
	s.send("docs.api.main.careless", "", careless, body)
	lease := object{"key": "iss-1", "holder": "api", "nonce": "forged", "until": time.Now().Add(time.Hour)}
	s.send("docs.api.main.lease", "", natsgo.Header{"Nats-Stream": {""}}, lease)
	for name, put := range map[string]func(to string){
		"the acknowledgement of a message": func(to string) { s.send("docs.api.main.z", to, nil, []byte("x")) },
		"the state of a stream":            func(to string) { s.send("$JS.API.STREAM.INFO.DOCS", to, nil, nil) },
		"a message that was looked at":     func(to string) { s.send("$JS.API.DIRECT.GET.DOCS.docs.api.main.careless", to, nil, nil) },
	} {
		before := s.stored()[s.webDoc]
		put(s.webDoc)
		until(t, name+" at "+s.webDoc, func() bool { return s.stored()[s.webDoc] != before })
		s.seesNoVersion(name)
	}
	// A version that is whole, and the first at its place.
	forged.Path = ".wrangler/issues/forged.md"
	absent := share.DocumentSubject(web, forged.Path)
	s.send("docs.api.main.first", "", natsgo.Header(forged.Header()), body)
	s.send("$JS.API.DIRECT.GET.DOCS.docs.api.main.first", absent, nil, nil)
	until(t, "a document at "+absent, func() bool { return s.stored()[absent] != "" })
	s.seesNoVersion("a forged version")

	before := s.stored()["$KV.claims.web.iss-1"]
	s.send("$JS.API.DIRECT.GET.DOCS.docs.api.main.lease", "$KV.claims.web.iss-1", nil, nil)
	until(t, "the forged lease", func() bool { return s.stored()["$KV.claims.web.iss-1"] != before })
	if l, err := s.owner.Lease(t.Context(), "web", "iss-1"); err != nil || l.Fence != 0 {
		t.Errorf("%+v %v", l, err)
	}
	if _, err := s.owner.Renew(t.Context(), s.lease, time.Hour); !errors.Is(err, share.ErrLost) {
		t.Errorf("a lease whose place is taken: %v", err)
	}
	if again, err := s.owner.Take(t.Context(), s.lease, time.Hour); err != nil || again.Fence <= s.lease.Fence {
		t.Errorf("%+v %v", again, err)
	}
	// The owner is told that something stands there, and publishes over it.
	v := ofWeb(3, "of web again")
	conflict := new(share.VersionConflictError)
	if ack := s.owner.Publish(t.Context(), []share.DocumentVersion{v})[0]; !errors.As(ack.Err, &conflict) {
		t.Fatalf("%+v", ack)
	}
	v.Replaces = conflict.Stands.Position
	if ack := s.owner.Publish(t.Context(), []share.DocumentVersion{v})[0]; ack.Err != nil {
		t.Errorf("%+v", ack)
	}
}

// seesNoVersion fails the test when a hub sees anything as the document of web.
func (s *stranger) seesNoVersion(name string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	named := false
	of := share.BranchSelection{Workspaces: []string{"web"}, Refused: func(*share.MessageError) { named = true }}
	for batch, err := range s.hub.Follow(ctx, 0, of) {
		if err != nil {
			s.t.Fatal(err)
		}
		for _, v := range batch {
			s.t.Errorf("%s passes for %+v", name, v)
		}
		if len(batch) == 0 {
			break
		}
	}
	if !named {
		s.t.Errorf("%s is not named", name)
	}
}

// An old version of an own document, sent again with or without what it was to replace, and
// ones of another document, line or body.
func TestReplayedMessagesChangeNothing(t *testing.T) {
	s := newStranger(t)
	own, hub := s.cluster.Connect(natstest.API), s.hub
	old, err := s.admin.GetLastMsg("DOCS", s.ownDoc)
	if err != nil {
		t.Fatal(err)
	}
	v := version("a.md", 2, "new")
	v.Replaces = old.Sequence
	newest := own.Publish(t.Context(), []share.DocumentVersion{v})[0]
	if newest.Err != nil {
		t.Fatal(newest.Err)
	}
	s.send(s.ownDoc, "", old.Header, old.Data)
	other := maps.Clone(old.Header)
	other.Set("Ii", "1 00000000000000000000000000000000 .wrangler/issues/a.md")
	without := maps.Clone(old.Header)
	for _, name := range []string{"Nats-Expected-Last-Subject-Sequence", "Nats-Expected-Stream"} {
		without.Del(name)
	}
	bad := []*natsgo.Msg{
		{Subject: "docs.api.other.x", Header: old.Header, Data: old.Data},
		{Subject: "docs.api.main.x", Header: old.Header, Data: old.Data},
		{Subject: share.DocumentSubject(mirror.Branch{Workspace: "api", Name: "other"}, ".wrangler/issues/a.md"), Header: old.Header, Data: old.Data},
		{Subject: share.DocumentSubject(api, ".wrangler/issues/b.md"), Header: other, Data: old.Data},
		{Subject: share.DocumentSubject(api, ".wrangler/issues/a.md") + "x", Header: without, Data: old.Data},
	}
	for _, m := range bad {
		s.send(m.Subject, "", m.Header, m.Data)
	}
	end := own.Publish(t.Context(), []share.DocumentVersion{version("end.md", 3, "end")})[0]
	if end.Err != nil {
		t.Fatal(end.Err)
	}
	named := 0
	var got []share.DocumentVersion
	of := share.BranchSelection{Workspaces: []string{"api"}, Refused: func(*share.MessageError) { named++ }}
	for batch, err := range hub.Follow(t.Context(), 0, of) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, batch...); len(got) > 0 && got[len(got)-1].Position >= end.Position {
			break
		}
	}
	if len(got) != 2 || got[0].Position != newest.Position || string(got[0].Data) != "new" || named != len(bad) {
		t.Errorf("%+v are versions, %d messages are named", got, named)
	}
	// A message under an id that another one has used, in the same stream, is stored.
	s.send("docs.api.main.y", "", natsgo.Header{"Nats-Msg-Id": {ofWeb(9, "").ID()}}, []byte("x"))
	next := ofWeb(9, "of web")
	next.Path = ".wrangler/issues/next.md"
	before := s.owner.Publish(t.Context(), []share.DocumentVersion{next})[0]
	if m, err := s.admin.GetLastMsg("DOCS", share.DocumentSubject(web, next.Path)); before.Err != nil || err != nil || m.Sequence != before.Position {
		t.Errorf("%+v, and there is %+v: %v", before, m, err)
	}
}
