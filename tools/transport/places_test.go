package transport

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"issues-index/tools"
)

// A slowReader is the answer to a client that reads nothing until it may.
type slowReader struct {
	*httptest.ResponseRecorder
	begun func()
	may   <-chan struct{}
}

func (s slowReader) Write(p []byte) (int, error) {
	s.begun()
	<-s.may
	return s.ResponseRecorder.Write(p)
}

func TestClientsThatReadSlowlyTakeNoPlace(t *testing.T) {
	f := serve(t, done)
	may := make(chan struct{})
	var slow, begun sync.WaitGroup
	for range 2 * maxRequests {
		begun.Add(1)
		w := slowReader{httptest.NewRecorder(), sync.OnceFunc(begun.Done), may}
		slow.Go(func() {
			request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(act))
			request.Header.Set("Content-Type", "application/json")
			f.ServeHTTP(w, request)
			if !strings.Contains(w.Body.String(), "done") {
				t.Errorf("a client that reads slowly was told %d, %s", w.Code, w.Body)
			}
		})
		begun.Wait()
	}
	if r, body := f.post(t, "", act); r.StatusCode != http.StatusOK {
		t.Errorf("one that reads at once: %d, %s", r.StatusCode, body)
	}
	close(may)
	slow.Wait()
}

func TestReadersHavePlacesWhileWritersWait(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	f := serve(t, func(ctx context.Context, args *tools.Args) (tools.Result, error) {
		select {
		case begun <- struct{}{}:
			<-end
		case <-end:
		}
		return done(ctx, args)
	})
	change := strings.Replace(act, `"act"`, `"change"`, 1)
	var running sync.WaitGroup
	occupy := func(count int, message string) {
		for range count {
			running.Go(func() {
				if r, body := f.post(t, "", message); r.StatusCode != http.StatusOK {
					t.Errorf("%d, %s", r.StatusCode, body)
				}
			})
			<-begun
		}
	}
	occupy(maxWrites, change)
	if r, body := f.post(t, "", change); r.StatusCode != http.StatusTooManyRequests {
		t.Errorf("one writer more: %d, %s", r.StatusCode, body)
	}
	occupy(maxRequests-maxWrites, act)
	if r, body := f.post(t, "", act); r.StatusCode != http.StatusTooManyRequests {
		t.Errorf("one reader more: %d, %s", r.StatusCode, body)
	}
	session := "0123456789.b25l"
	for _, message := range []string{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`} {
		if r, body := f.post(t, session, message); r.StatusCode != http.StatusAccepted {
			t.Errorf("%s, which cannot be sent again: %d, %s", message, r.StatusCode, body)
		}
	}
	close(end)
	running.Wait()
	if len(f.free)+len(f.writes) > 0 {
		t.Errorf("%d and %d places are taken in the end", len(f.free), len(f.writes))
	}
}

// A slowBody is a message that arrives when it may.
type slowBody struct {
	io.Reader
	begun func()
	may   <-chan struct{}
}

func (s slowBody) Read(p []byte) (int, error) {
	s.begun()
	<-s.may
	return s.Reader.Read(p)
}

func TestClientsThatSendSlowlyTakeNoPlace(t *testing.T) {
	for name, c := range map[string]struct {
		length, clients int
		large           int // the status of one more large message
	}{
		"small messages": {length: len(act), clients: 2 * maxRequests, large: http.StatusOK},
		"large ones":     {length: -1, clients: maxLarge, large: http.StatusTooManyRequests},
	} {
		t.Run(name, func(t *testing.T) {
			f := serve(t, done)
			may := make(chan struct{})
			var slow sync.WaitGroup
			for range c.clients {
				begun := make(chan struct{})
				request := httptest.NewRequest(http.MethodPost, "/", slowBody{strings.NewReader(act), sync.OnceFunc(func() { close(begun) }), may})
				request.Header.Set("Content-Type", "application/json")
				request.ContentLength = int64(c.length)
				slow.Go(func() { f.ServeHTTP(httptest.NewRecorder(), request) })
				<-begun
			}
			if r, body := f.post(t, "", act); r.StatusCode != http.StatusOK {
				t.Errorf("one that sends at once: %d, %s", r.StatusCode, body)
			}
			if r, body := f.post(t, "", strings.Repeat(" ", smallBody)+act); r.StatusCode != c.large {
				t.Errorf("a large one: %d, %s", r.StatusCode, body)
			}
			close(may)
			slow.Wait()
		})
	}
}

// Clients choose the ids of their requests, and most count from 1: an id without a session is
// nobody's.
func TestACallIsCancelledByItsOwnSessionAlone(t *testing.T) {
	const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`
	begun, end, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	f := serve(t, func(ctx context.Context, args *tools.Args) (tools.Result, error) {
		begun <- struct{}{}
		select {
		case <-ctx.Done():
		case <-end:
		}
		ended <- ctx.Err()
		return done(ctx, args)
	})
	one, two := f.begin(t, "one"), f.begin(t, "two")
	for _, c := range []struct {
		caller, canceller string
		ends              bool
	}{{"", "", false}, {one, two, false}, {one, "", false}, {one, one, true}} {
		var running sync.WaitGroup
		running.Go(func() { f.post(t, c.caller, act) })
		<-begun
		if r, body := f.post(t, c.canceller, cancelled); r.StatusCode != http.StatusAccepted {
			t.Errorf("%+v: %d, %s", c, r.StatusCode, body)
		}
		if !c.ends {
			end <- struct{}{}
		}
		if err := <-ended; (err != nil) != c.ends {
			t.Errorf("%+v: the call ended with %v", c, err)
		}
		running.Wait()
	}
}
