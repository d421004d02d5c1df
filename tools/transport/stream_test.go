package transport

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"issues-index/tools/auth"
)

// read opens the stream of a session, and returns what is read of it: the next line, "" at its
// end.
func (f *fixture) read(ctx context.Context, t *testing.T, session string) (status int, next func() string) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Mcp-Session-Id", session)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	return answer.StatusCode, func() string {
		for lines.Scan() {
			if lines.Text() != "" {
				return lines.Text()
			}
		}
		return ""
	}
}

func TestASessionIsToldOnItsStream(t *testing.T) {
	f := serve(t, done)
	session, other := f.begin(t, "one"), f.begin(t, "one")
	ctx, leave := context.WithCancel(t.Context())
	status, next := f.read(ctx, t, session)
	if status != http.StatusOK {
		t.Fatal(status)
	}
	_, ofOther := f.read(t.Context(), t, other)
	stream := f.streams.of[session]
	tell := func(stream *sessionStream, n int) { go stream.notify("notifications/test", map[string]any{"n": n}) }
	told := func(n int) string {
		return fmt.Sprintf(`data: {"jsonrpc":"2.0","method":"notifications/test","params":{"n":%d}}`, n)
	}
	tell(stream, 1)
	if event, data := next(), next(); event != "event: message" || data != told(1) {
		t.Fatalf("told of %q, %q", event, data)
	}
	tell(f.streams.of[other], 2)
	if _, data := ofOther(), ofOther(); data != told(2) {
		t.Errorf("another session is told of %q", data)
	}

	// Its connection breaks, and it comes back: what it waits for has not ended.
	leave()
	for next() != "" {
	}
	status, next = f.read(t.Context(), t, session)
	tell(stream, 3)
	if _, data := next(), next(); status != http.StatusOK || data != told(3) {
		t.Errorf("after it came back: %d, told of %q", status, data)
	}
	f.Drain(t.Context())
	if last := next() + ofOther(); last != "" || stream.life.Err() == nil {
		t.Errorf("after the server has ended: %q", last)
	}
}

func TestTheStreamsOfClientsThatWentAwayEnd(t *testing.T) {
	f := serve(t, done)
	session := f.begin(t, "one")
	stream, first, _ := f.streams.read(session)
	again, second, _ := f.streams.read(session)
	if again != stream {
		t.Fatal("a second reader has another stream")
	}
	gone := func() bool { return f.streams.get(session) != stream || stream.life.Err() != nil }
	f.streams.endUnread(session, stream) // as when the time has run out just before it came back
	f.streams.leave(stream, first)
	f.streams.endUnread(session, stream)
	if gone() {
		t.Error("it has ended before its readers")
	}
	f.streams.leave(stream, second)
	if gone() || !stream.ending.Stop() {
		t.Error("it has ended at once, or never will")
	}
	f.streams.endUnread(session, stream)
	if !gone() {
		t.Error("it has not ended after its readers")
	}
	stream.notify("notifications/test", nil) // returns, although nobody reads

	_, next := f.read(t.Context(), t, session)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, f.url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Mcp-Session-Id", session)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if last := next(); last != "" {
		t.Errorf("after the goodbye of its client: %q", last)
	}
}

func TestTheLatestReaderOfAStreamIsTold(t *testing.T) {
	streams := newSessionStreams(t.Context())
	const key = "0000000001.b25l"
	stream, broken, _ := streams.read(key) // but its break does not show yet
	notify := func() (notified chan struct{}) {
		notified = make(chan struct{})
		go func() {
			stream.notify("notifications/test", nil)
			close(notified)
		}()
		return notified
	}
	waits := notify()
	<-broken.messages
	<-waits

	_, latest, _ := streams.read(key)
	for range 100 {
		waits = notify()
		select {
		case <-broken.messages:
			t.Fatal("a reader that another one has followed is told")
		case <-latest.messages:
			<-waits
		}
	}

	streams.leave(stream, latest)
	waits = notify()
	<-broken.messages
	<-waits
	streams.leave(stream, broken)
	waits = notify()
	_, back, _ := streams.read(key)
	<-back.messages
	<-waits
}

func TestStreamsAreBounded(t *testing.T) {
	f := serve(t, done)
	for i := range maxStreams {
		if status, _ := f.read(t.Context(), t, fmt.Sprintf("%010d.b25l", i)); status != http.StatusOK {
			t.Fatalf("stream %d: %d", i, status)
		}
	}
	if status, _ := f.read(t.Context(), t, f.begin(t, "one")); status != http.StatusMethodNotAllowed {
		t.Errorf("one too many: %d", status)
	}
	if r, body := f.post(t, f.begin(t, "one"), act); r.StatusCode != http.StatusOK {
		t.Errorf("a client that asks: %d, %s", r.StatusCode, body)
	}
	if status, _ := f.read(t.Context(), t, "made-up"); status != http.StatusMethodNotAllowed {
		t.Errorf("no session of this server: %d", status)
	}
}

func TestASessionThatIsKnownToOthersIsNotTheirs(t *testing.T) {
	request := func(subject *auth.Principal, version string) *http.Request {
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.Header.Set("Mcp-Session-Id", fmt.Sprintf("%010d.b25l", 1))
		r.Header.Set("Mcp-Protocol-Version", version)
		return r.WithContext(auth.With(r.Context(), subject))
	}
	ann, ben := &auth.Principal{Name: "ann"}, &auth.Principal{Name: "ben"}
	if key := sessionKey(request(ann, "2025-11-25")); key == "" || key == sessionKey(request(ben, "2025-11-25")) || key != sessionKey(request(ann, "2025-06-18")) {
		t.Errorf("the key of a stream is %q", key)
	}
	if key := sessionKey(request(ann, "2026-07-28")); key != "" {
		t.Errorf("a revision without sessions has the stream %q", key)
	}
}
