package upstream_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"issues-index/tools/upstream"
)

var discard = log.New(io.Discard, "", 0)

// patient is a policy that asks again.
var patient = upstream.Policy{Retries: 3, Statuses: []int{429, 503}, Patience: 2 * time.Second}

// A script answers one request after the other.
type script []http.HandlerFunc

func status(code int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for n := 0; n < len(headers); n += 2 {
			w.Header().Set(headers[n], headers[n+1])
		}
		w.WriteHeader(code)
	}
}

func cutOff(w http.ResponseWriter, _ *http.Request) { hangUp(w, "") }

// play asks a server that answers by the script, and returns how often it was asked
// and how long the client would have waited.
func play(t *testing.T, p upstream.Policy, method string, answers script) (asked int, waits []time.Duration, response *upstream.Response, err error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := answers[min(asked, len(answers)-1)]
		asked++
		answer(w, r)
	}))
	defer server.Close()
	c, err := upstream.New(upstream.Options{
		Base: server.URL, Policy: p, Transport: &http.Transport{DisableKeepAlives: true}, // its own retries are for connections that were kept
		Sleep: func(_ context.Context, pause time.Duration) error { waits = append(waits, pause); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	response, err = c.Do(t.Context(), upstream.Request{Method: method, Body: []byte("x")})
	return asked, waits, response, err
}

func TestTemporaryFailureIsRetried(t *testing.T) {
	for _, c := range []struct {
		name    string
		method  string
		policy  upstream.Policy
		answers script
		asked   int
		status  int // 0 for an error
	}{
		{"a status that passes", "", patient, script{status(503), status(429), status(200)}, 3, 200},
		{"one that does not pass", "", patient, script{status(503)}, 4, 503},
		{"another status", "", patient, script{status(500)}, 1, 500},
		{"a connection that was cut", "", patient, script{cutOff, cutOff, status(200)}, 3, 200},
		{"one that is always cut", "", patient, script{cutOff}, 4, 0},
		{"a HEAD", "HEAD", patient, script{status(503), status(200)}, 2, 200},
		{"a POST is sent once", "POST", patient, script{status(503), status(200)}, 1, 503},
		{"a POST that is cut, too", "POST", patient, script{cutOff, status(200)}, 1, 0},
		{"a policy without retries", "", upstream.Policy{Statuses: []int{503}}, script{status(503), status(200)}, 1, 503},
		{"a wait that is asked for and is short", "", patient, script{status(429, "Retry-After", "2"), status(200)}, 2, 200},
		{"one that there is no patience for", "", patient, script{status(429, "Retry-After", "60"), status(200)}, 1, 429},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked, waits, response, err := play(t, c.policy, c.method, c.answers)
			if asked != c.asked {
				t.Errorf("asked %d times, want %d", asked, c.asked)
			}
			switch {
			case c.status == 0 && err == nil:
				t.Errorf("the answer is %+v", response)
			case c.status != 0 && (err != nil || response.Status != c.status):
				t.Errorf("the answer is %+v, %v", response, err)
			}
			for n, wait := range waits {
				if wait < 250*time.Millisecond || wait > c.policy.Patience {
					t.Errorf("wait %d is %s", n, wait)
				}
			}
			if len(waits) != c.asked-1 {
				t.Errorf("waited %v", waits)
			}
		})
	}
	t.Run("as long as it asks for", func(t *testing.T) {
		_, waits, _, err := play(t, patient, "", script{status(503, "Retry-After", "1"), status(200)})
		if err != nil || len(waits) != 1 || waits[0] != time.Second {
			t.Errorf("waited %v, %v", waits, err)
		}
	})
	t.Run("longer and longer", func(t *testing.T) {
		p := patient
		p.Patience = time.Hour
		_, waits, _, err := play(t, p, "", script{status(503)})
		if err != nil || len(waits) != 3 || waits[1] < 500*time.Millisecond || waits[2] < time.Second {
			t.Errorf("waited %v, %v", waits, err)
		}
	})
}

func TestCallerCanCancel(t *testing.T) {
	t.Run("while an answer is awaited", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		})
		if _, err := newClient(t, server.URL, patient, nil).Do(ctx, question); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	t.Run("between attempts", func(t *testing.T) {
		server := serve(t, status(503))
		ctx, cancel := context.WithCancel(t.Context())
		c, err := upstream.New(upstream.Options{Base: server.URL, Policy: patient, Sleep: func(ctx context.Context, _ time.Duration) error {
			cancel()
			return ctx.Err()
		}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Do(ctx, question); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	t.Run("by the clock's own pause", func(t *testing.T) {
		server := serve(t, status(503, "Retry-After", "1"))
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		c, err := upstream.New(upstream.Options{Base: server.URL, Policy: patient})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Do(ctx, question); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
	t.Run("which otherwise comes to its end", func(t *testing.T) {
		server := serve(t, status(503, "Retry-After", "0"))
		c, err := upstream.New(upstream.Options{Base: server.URL, Policy: upstream.Policy{Retries: 1, Statuses: []int{503}}})
		if err != nil {
			t.Fatal(err)
		}
		if response, err := c.Do(t.Context(), question); err != nil || response.Status != 503 {
			t.Errorf("%+v, %v", response, err)
		}
	})
}

// A service that is slow to say that it is busy does not hold its caller up for as
// many times the timeout as there are attempts.
func TestSlowRequestIsNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		slow := roundTrip(func(r *http.Request) (*http.Response, error) {
			asked++
			time.Sleep(10 * time.Second)
			return &http.Response{StatusCode: http.StatusServiceUnavailable, Body: http.NoBody, Request: r}, nil
		})
		c := newClient(t, "http://cms.example.org", upstream.Policy{Timeout: 15 * time.Second, Retries: 5, Statuses: []int{503}}, slow)
		response, err := c.Do(t.Context(), question)
		if err != nil || response.Status != 503 || asked != 2 {
			t.Errorf("asked %d times: %+v %v", asked, response, err)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 22, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"60":                            time.Minute,
		"0":                             0,
		"Thu, 22 Jan 2026 12:00:30 GMT": 30 * time.Second,
		"Thu, 22 Jan 2026 11:00:00 GMT": 0,
		"99999999999999":                1 << 31 * time.Second,
		"99999999999999999999999999":    1 << 31 * time.Second,
		"-99999999999999999999999999":   -1,
		"-1":                            -1,
		"soon":                          -1,
		"":                              -1,
	} {
		got, ok := upstream.RetryAfter(http.Header{"Retry-After": {value}}, now)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q is %s, %t; want %s", value, got, ok, want)
		}
	}
}

func TestErrorsSayWhatHappened(t *testing.T) {
	seen := map[string]bool{}
	for _, reason := range []upstream.Reason{
		upstream.UnknownHost, upstream.Refused, upstream.Unreachable, upstream.BadTLS, upstream.NoTLS, upstream.SlowTLS, upstream.TimedOut, upstream.CutOff, upstream.TooLarge, upstream.Malformed, upstream.Garbled,
	} {
		text := (&upstream.Error{Reason: reason, Host: "cms.example.org", Policy: upstream.Policy{Timeout: time.Second}}).Error()
		if seen[text] || !strings.Contains(text, "cms.example.org") {
			t.Errorf("%s: %s", reason, text)
		}
		seen[text] = true
	}
}
