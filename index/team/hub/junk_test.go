package hub_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	natsgo "github.com/nats-io/nats.go"

	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// junk is what a member of a workspace can write in the places of its documents. Nothing of it
// is a version; the names say why.
func junk(t *testing.T) map[string]*natsgo.Msg {
	t.Helper()
	var packer share.Packer
	pack := func(data []byte) []byte {
		t.Helper()
		packed, err := packer.Pack(data)
		ok(t, err)
		return packed
	}
	noise := make([]byte, 1000)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	place := func() string { return fmt.Sprintf("docs.api.main.%016x", rand.Uint64()) }
	raw := func(header natsgo.Header, data []byte) *natsgo.Msg {
		return &natsgo.Msg{Subject: place(), Header: header, Data: data}
	}
	// version is one that is right but for what changes it.
	version := func(body []byte, change func(m *natsgo.Msg)) *natsgo.Msg {
		v := share.DocumentVersion{Branch: api, Path: fmt.Sprintf("a/%x.md", rand.Uint64()), Origin: share.Origin{Epoch: "e", Rev: 1}, Hash: share.HashOf([]byte("text"))}
		m := &natsgo.Msg{Subject: share.DocumentSubject(v.Branch, v.Path), Header: natsgo.Header(v.Header()), Data: body}
		if change != nil {
			change(m)
		}
		return m
	}
	with := func(name, value string) func(m *natsgo.Msg) {
		return func(m *natsgo.Msg) { m.Header[name] = []string{value} }
	}
	text := pack([]byte("text"))
	zeros := strings.Repeat("0", 32)
	return map[string]*natsgo.Msg{
		"empty":                         raw(nil, nil),
		"four bytes":                    raw(nil, []byte("junk")),
		"noise":                         raw(nil, noise),
		"a header that is not complete": version(text, with("Ii", "1 "+zeros)),
		"a newer format":                version(text, with("Ii", "2 "+zeros+" a/x.md more")),
		"no hash":                       version(text, with("Ii", "1 "+strings.Repeat("z", 32)+" a/x.md")),
		"a path that leads out":         version(text, with("Ii", "1 "+zeros+" ../../etc/passwd")),
		"a path that is not UTF-8":      version(text, with("Ii", "1 "+zeros+" a/%ff%fe.md")),
		"a path with a line end":        version(text, with("Ii", "1 "+zeros+" a/%0a.md")),
		"another document's place":      version(text, func(m *natsgo.Msg) { m.Subject = place() }),
		"another line's place":          version(text, func(m *natsgo.Msg) { m.Subject = strings.Replace(m.Subject, ".main.", ".other.", 1) }),
		"a line that has no name":       version(text, func(m *natsgo.Msg) { m.Subject = strings.Replace(m.Subject, ".main.", ".NO=name.", 1) }),
		"an id of another workspace":    version(text, with("Ii-Id", "web/main/e/1")),
		"an id without a number":        version(text, with("Ii-Id", "api/main/e/x")),
		"a commit that is none":         version(text, with("Ii-Commit", strings.Repeat("x", 60_000))),
		"deleted with a hash":           version(text, with("Ii-Gone", "1")),
		"a body that lies apart":        version(nil, with("Ii-Blob", "3 1")),
		"a body in many pieces":         version(nil, with("Ii-Blob", "1000000000 1")),
		"a body without its size":       version(streamed(t, bytes.Repeat([]byte("\n"), share.MaxDocument)), nil),
		"many bodies in one":            version(bytes.Repeat(pack(bytes.Repeat([]byte("\n"), share.MaxDocument)), 100), nil),
		"no body":                       version(nil, nil),
		"a body of noise":               version(noise, nil),
		"half a body":                   version(text[:len(text)/2], nil),
		"another body":                  version(pack([]byte("other")), nil),
		"a body that grows too large":   version(pack(bytes.Repeat([]byte("\n"), share.MaxDocument+1)), nil),
	}
}

// streamed is a body as this program does not pack it: how large it becomes is not said.
func streamed(t *testing.T, data []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w, err := zstd.NewWriter(&packed)
	ok(t, err)
	_, err = w.Write(data)
	ok(t, err, w.Close())
	return packed.Bytes()
}

// elsewhere is junk in the places of other things than documents. A counter takes none.
var elsewhere = []*natsgo.Msg{
	{Subject: "$KV.claims.api.iss-1", Data: []byte("junk")}, {Subject: "$KV.claims.api.line-main", Data: []byte("{}")},
	{Subject: "$KV.presence.api.main", Data: []byte("junk")}, {Subject: "$KV.presence.api.other", Data: []byte(`{"workspace":"web","line":"main"}`)},
	{Subject: "ids.api.ISS", Data: []byte("junk")},
}

// Whatever a member writes, a hub follows the other workspaces, and the other documents of this
// one, and names what it does not use.
func TestJunkStopsNoHub(t *testing.T) {
	t.Parallel()
	cluster := natstest.Start(t, 1)
	ofAPI := &publisher{t: t, team: cluster.Connect(natstest.API)}
	ofWeb := &publisher{t: t, team: cluster.Connect(natstest.Web)}
	wanted, names := map[string]string{}, map[uint64]bool{}
	round := 0
	// send has both workspaces publish, with junk between.
	send := func() (last uint64) {
		t.Helper()
		round++
		put := func(p *publisher, l mirror.Branch, path string) {
			last = p.put(l, path, path)
			wanted[l.String()+"/"+path] = path
		}
		put(ofAPI, api, fmt.Sprintf("a/before-%d.md", round))
		for _, m := range junk(t) {
			cluster.Send(natstest.API, m)
		}
		cluster.Send(natstest.API, elsewhere...)
		put(ofWeb, web, fmt.Sprintf("a/web-%d.md", round))
		put(ofAPI, api, fmt.Sprintf("a/after-%d.md", round))
		return last
	}
	for l, p := range map[mirror.Branch]*publisher{api: ofAPI, web: ofWeb} {
		p.put(l, mirror.ManifestPath, manifest)
		wanted[l.String()+"/"+mirror.ManifestPath] = manifest
	}
	holds := func(h *runningHub, what string) {
		t.Helper()
		if got := mirrored(t, h.dir); !maps.Equal(got, wanted) {
			t.Errorf("%s: the hub has %v, want %v", what, got, wanted)
		}
		s := h.Status()
		clear(names)
		for _, line := range s.Branches {
			for _, v := range line.Unused {
				names[v.Position] = true
			}
		}
		if want := round * len(junk(t)); s.Failure != nil || len(names) != want {
			t.Errorf("%s: %d messages are named, want %d; failure %v", what, len(names), want, s.Failure)
		}
	}
	last := send()
	dir := t.TempDir()
	h := startOn(t, dir, cluster.Connect(natstest.Hub), all)
	h.await(t, last)
	holds(h, "before the first start")
	h.await(t, send())
	holds(h, "while it follows")
	h.stop()
	h = startOn(t, dir, cluster.Connect(natstest.Hub), all)
	h.await(t, ofWeb.put(web, "a/web-1.md", "a/web-1.md"))
	holds(h, "started again")
}
