package upstream_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	_ "issues-index/store/storetest" // sizes, and rarer collections of garbage
	"issues-index/tools/upstream"
)

const secret = "hunter2-key"

// newClient makes a client of a server, that does not wait between attempts.
func newClient(t *testing.T, base string, p upstream.Policy, transport http.RoundTripper) *upstream.Client {
	t.Helper()
	c, err := upstream.New(upstream.Options{
		Base: base, UserAgent: "test/1", Policy: p, Transport: transport,
		Sleep: func(context.Context, time.Duration) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// serve starts a server for one test.
func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// question is a request with a secret at each place that an error might show.
var question = upstream.Request{Path: "/a/hunter2-path/", Query: "q=hunter2-query", Authorization: "Bearer " + secret}

// failure asks and returns the reason for which no answer came; its words must hold
// nothing of the request.
func failure(t *testing.T, c *upstream.Client) upstream.Reason {
	t.Helper()
	response, err := c.Do(t.Context(), question)
	var e *upstream.Error
	if !errors.As(err, &e) {
		t.Fatalf("the answer is %+v, the error %v", response, err)
	}
	if strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), e.Host) {
		t.Errorf("the error is %q", err)
	}
	return e.Reason
}

func TestAnswerOfAnyStatusIsAResponse(t *testing.T) {
	for _, status := range []int{200, 204, 400, 401, 404, 500} {
		var asked *http.Request
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked = r
			w.Header().Set("Content-Type", "Application/JSON; charset=utf-8")
			w.WriteHeader(status)
			if status != http.StatusNoContent {
				io.WriteString(w, `{"a":1}`)
			}
		})
		c := newClient(t, server.URL+"/below/", upstream.Policy{}, nil)
		response, err := c.Do(t.Context(), upstream.Request{
			Path: "/x%2Fy/z/", Query: "a=b%20c", Header: http.Header{"Accept": {"application/json"}}, Authorization: "Token k",
		})
		if err != nil || response.Status != status || response.MediaType() != "application/json" {
			t.Fatalf("%+v, %v", response, err)
		}
		if asked.Method != http.MethodGet || asked.RequestURI != "/below/x%2Fy/z/?a=b%20c" {
			t.Errorf("asked %s %s", asked.Method, asked.RequestURI)
		}
		for name, want := range map[string]string{"Accept": "application/json", "Authorization": "Token k", "User-Agent": "test/1"} {
			if got := asked.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if c.Base().String() != server.URL+"/below/" {
			t.Errorf("the base is %s", c.Base())
		}
	}
}

func TestReasonsOfFailure(t *testing.T) {
	t.Run("nothing listens", func(t *testing.T) {
		server := httptest.NewServer(http.NotFoundHandler())
		server.Close()
		if r := failure(t, newClient(t, server.URL, upstream.Policy{}, nil)); r != upstream.Refused {
			t.Error(r)
		}
	})
	t.Run("the host has no address", func(t *testing.T) {
		lost := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "nosuch.example", IsNotFound: true}}
		}}
		if r := failure(t, newClient(t, "http://nosuch.example", upstream.Policy{}, lost)); r != upstream.UnknownHost {
			t.Error(r)
		}
	})
	t.Run("there is no way to it", func(t *testing.T) {
		lost := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: errors.New("network is unreachable")}
		}}
		if r := failure(t, newClient(t, "http://far.example", upstream.Policy{}, lost)); r != upstream.Unreachable {
			t.Error(r)
		}
	})
	t.Run("its certificate is signed by nobody we know", func(t *testing.T) {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.Config.ErrorLog = discard
		server.StartTLS()
		defer server.Close()
		if r := failure(t, newClient(t, server.URL, upstream.Policy{}, nil)); r != upstream.BadTLS {
			t.Error(r)
		}
	})
	t.Run("its certificate is another host's", func(t *testing.T) {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.Config.ErrorLog = discard
		server.StartTLS()
		defer server.Close()
		known := server.Client().Transport.(*http.Transport)
		known.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
		}
		if r := failure(t, newClient(t, "https://other.test", upstream.Policy{}, known)); r != upstream.BadTLS {
			t.Error(r)
		}
	})
	t.Run("it speaks no TLS", func(t *testing.T) {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.Config.ErrorLog = discard
		server.Start()
		defer server.Close()
		if r := failure(t, newClient(t, strings.Replace(server.URL, "http:", "https:", 1), upstream.Policy{}, nil)); r != upstream.NoTLS {
			t.Error(r)
		}
	})
	t.Run("it never sets up TLS", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close() // nobody accepts: what is sent to it waits
		impatient := http.DefaultTransport.(*http.Transport).Clone()
		impatient.TLSHandshakeTimeout = 20 * time.Millisecond
		c := newClient(t, "https://"+listener.Addr().String(), upstream.Policy{}, impatient)
		if r := failure(t, c); r != upstream.SlowTLS {
			t.Error(r)
		}
		if _, err := c.Do(t.Context(), question); err == nil || !strings.Contains(err.Error(), "did not set up TLS within 10s: it may serve http only") {
			t.Error(err)
		}
	})
	t.Run("it never answers", func(t *testing.T) {
		server := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		if r := failure(t, newClient(t, server.URL, upstream.Policy{Timeout: 20 * time.Millisecond}, nil)); r != upstream.TimedOut {
			t.Error(r)
		}
	})
	t.Run("it never ends its answer", func(t *testing.T) {
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "{")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		})
		if r := failure(t, newClient(t, server.URL, upstream.Policy{Timeout: 100 * time.Millisecond}, nil)); r != upstream.TimedOut {
			t.Error(r)
		}
	})
	t.Run("it hangs up at once", func(t *testing.T) {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) { hangUp(w, "") })
		if r := failure(t, newClient(t, server.URL, upstream.Policy{}, nil)); r != upstream.CutOff {
			t.Error(r)
		}
	})
	t.Run("it hangs up within its answer", func(t *testing.T) {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			hangUp(w, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"half\":")
		})
		if r := failure(t, newClient(t, server.URL, upstream.Policy{}, nil)); r != upstream.CutOff {
			t.Error(r)
		}
	})
	t.Run("it speaks something else", func(t *testing.T) {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) { hangUp(w, "SSH-2.0-OpenSSH_9.9\r\n") })
		if r := failure(t, newClient(t, server.URL, upstream.Policy{}, nil)); r != upstream.Malformed {
			t.Error(r)
		}
	})
	for name, answer := range map[string]string{
		"its header has no end":      "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Y: "+strings.Repeat("z", 1000)+"\r\n", 400),
		"it hints and never answers": strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				asked++
				hangUp(w, answer)
			})
			if r := failure(t, newClient(t, server.URL, upstream.Policy{Retries: 3}, nil)); r != upstream.Malformed || asked != 1 {
				t.Errorf("%s, asked %d times", r, asked)
			}
		})
	}
	for name, answer := range map[string]string{
		"it is no gzip, though it says so": "Content-Encoding: gzip\r\nContent-Length: 12\r\n\r\nno gzip here",
		"its gzip is damaged":              "Content-Encoding: gzip\r\nContent-Length: 18\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		"its chunks are none":              "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc",
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				asked++
				hangUp(w, "HTTP/1.1 200 OK\r\n"+answer)
			})
			if r := failure(t, newClient(t, server.URL, upstream.Policy{Retries: 3}, nil)); r != upstream.Garbled || asked != 1 {
				t.Errorf("%s, asked %d times", r, asked)
			}
		})
	}
	t.Run("what is to be sent is no header", func(t *testing.T) {
		server := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
		c := newClient(t, server.URL, upstream.Policy{Retries: 3}, nil)
		_, err := c.Do(t.Context(), upstream.Request{Authorization: "Bearer hunter2\nX: y"})
		var e *upstream.Error
		if !errors.As(err, &e) || e.Reason != upstream.Malformed || strings.Contains(err.Error(), "hunter2") {
			t.Error(err)
		}
		if _, err := c.Do(t.Context(), upstream.Request{Method: "NO METHOD"}); !errors.As(err, &e) || e.Reason != upstream.Malformed {
			t.Error(err)
		}
	})
}

// hangUp sends these bytes and ends the connection.
func hangUp(w http.ResponseWriter, bytes string) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		io.WriteString(conn, bytes)
		conn.Close()
	}
}

func TestBodyIsReadToItsLimit(t *testing.T) {
	const limit = 1 << 20
	t.Run("as much as is allowed", func(t *testing.T) {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, limit)) })
		response, err := newClient(t, server.URL, upstream.Policy{MaxBody: limit}, nil).Do(t.Context(), question)
		if err != nil || len(response.Body) != limit {
			t.Errorf("%d bytes, %v", len(response.Body), err)
		}
	})
	t.Run("200 MB are left where they are", func(t *testing.T) {
		var sent atomic.Int64
		ended := make(chan struct{})
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			defer close(ended)
			for piece := make([]byte, 1<<20); sent.Load() < 200<<20; {
				n, err := w.Write(piece)
				if sent.Add(int64(n)); err != nil {
					return
				}
			}
		})
		if r := failure(t, newClient(t, server.URL, upstream.Policy{MaxBody: limit}, nil)); r != upstream.TooLarge {
			t.Error(r)
		}
		<-ended
		if sent.Load() > 100<<20 {
			t.Errorf("%d bytes were taken", sent.Load())
		}
	})
	t.Run("a bomb does not go off", func(t *testing.T) {
		var bomb bytes.Buffer
		z := gzip.NewWriter(&bomb)
		for range 200 {
			z.Write(make([]byte, 1<<20))
		}
		z.Close()
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb.Bytes())
		})
		if r := failure(t, newClient(t, server.URL, upstream.Policy{MaxBody: limit}, nil)); r != upstream.TooLarge {
			t.Error(r)
		}
	})
}

func TestRedirectsAreReturned(t *testing.T) {
	elsewhere := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
	for _, c := range []struct {
		status   int
		location string
		to       string // after the server's own address
		own      bool
	}{
		{301, "/login/?next=x", "/login/?next=x", true},
		{302, "sub/", "/a/hunter2-path/sub/", true},
		{307, elsewhere.URL + "/x", elsewhere.URL + "/x", false},
		{302, "https://127.0.0.1/x", "https://127.0.0.1/x", false},
		{302, "", "", false},
		{302, "http://[::1", "", false},
		{302, "javascript:alert(1)", "", false},
		{302, "file:///etc/passwd", "", false},
		{302, "http:///x", "", false},
		{200, "/x", "", false},
	} {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", c.location)
			w.WriteHeader(c.status)
		})
		response, err := newClient(t, server.URL, upstream.Policy{}, nil).Do(t.Context(), question)
		if err != nil || response.Status != c.status {
			t.Fatalf("%+v, %v", response, err)
		}
		to, own := response.Redirect()
		got := ""
		if to != nil {
			got = strings.TrimPrefix(to.String(), server.URL)
		}
		if got != c.to || own != c.own {
			t.Errorf("%d %q leads to %q, own %t; want %q, %t", c.status, c.location, got, own, c.to, c.own)
		}
	}

	t.Run("another case is the same host, another port is not", func(t *testing.T) {
		for location, want := range map[string]bool{
			"https://CMS.example.org/x": true, "https://cms.example.org:443/": false, "https://cms.example.org:8443/": false, "http://cms.example.org/": false,
		} {
			at, err := url.Parse("https://cms.example.org/api/")
			if err != nil {
				t.Fatal(err)
			}
			r := &upstream.Response{Status: 302, Header: http.Header{"Location": {location}}, URL: at}
			if _, own := r.Redirect(); own != want {
				t.Errorf("%s: own is %t", location, own)
			}
		}
	})
}

func TestAddresses(t *testing.T) {
	for address, complaint := range map[string]string{
		"https://cms.example.org/site":  "",
		"cms.example.org":               "does not begin with http:// or https://",
		"ftp://cms.example.org":         "does not begin with",
		"http://":                       "does not begin with",
		"https://me:hunter2@x.org":      "has more than a host and a path",
		"https://x.org/?token=a":        "has more than",
		"http://[::1":                   "read the service's address",
		"https://x.org/#fragment":       "has more than",
		"https://cms.example.org:8443/": "",
	} {
		_, err := upstream.New(upstream.Options{Base: address})
		switch {
		case complaint == "" && err != nil, complaint != "" && err == nil:
			t.Errorf("%s: %v", address, err)
		case err != nil && (!strings.Contains(err.Error(), complaint) || strings.Contains(err.Error(), "hunter2")):
			t.Errorf("%s: %v", address, err)
		}
	}
}
