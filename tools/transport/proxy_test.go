package transport

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

// What a proxy says counts only where there is one, and its own word is the last.
func TestBehindAProxy(t *testing.T) {
	base, err := url.Parse("https://issues.example.org")
	check(t, err)
	type request struct {
		host, origin string
		forwarded    map[string]string
	}
	toProxy := map[string]string{"X-Forwarded-For": "203.0.113.9, 198.51.100.7", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "issues.example.org"}
	for why, c := range map[string]struct {
		o                    ListenOptions
		request              request
		status               int
		from, origin, hostIs string
	}{
		"no proxy": {
			ListenOptions{}, request{"127.0.0.1:8080", "", toProxy}, 200, "192.0.2.1:1234", "http://127.0.0.1:8080", "127.0.0.1:8080",
		},
		"one that is trusted": {
			ListenOptions{TrustProxy: true, Base: base}, request{"127.0.0.1:8080", "https://issues.example.org", toProxy}, 200, "198.51.100.7:0", "https://issues.example.org", "issues.example.org",
		},
		"one that keeps the host": {
			ListenOptions{Base: base}, request{"issues.example.org", "https://issues.example.org", nil}, 200, "192.0.2.1:1234", "https://issues.example.org", "issues.example.org",
		},
		"one that names itself, and the page of its address": {
			ListenOptions{Base: base}, request{"127.0.0.1:8080", "https://issues.example.org", nil}, 200, "192.0.2.1:1234", "https://issues.example.org", "127.0.0.1:8080",
		},
		"one whose address was not told": {
			ListenOptions{TrustProxy: true}, request{"127.0.0.1:8080", "", toProxy}, 403, "", "", "",
		},
		"another host, as in DNS rebinding": {
			ListenOptions{TrustProxy: true, Base: base}, request{"evil.example", "", nil}, 403, "", "", "",
		},
		"another origin": {
			ListenOptions{TrustProxy: true, Base: base}, request{"127.0.0.1:8080", "https://evil.example", toProxy}, 403, "", "", "",
		},
		"an address that is none": {
			ListenOptions{TrustProxy: true}, request{"localhost:8080", "", map[string]string{"X-Forwarded-For": "evil\"host", "X-Forwarded-Proto": "HTTPS"}}, 200, "192.0.2.1:1234", "https://localhost:8080", "localhost:8080",
		},
	} {
		t.Run(why, func(t *testing.T) {
			var seen *http.Request
			r := httptest.NewRequest(http.MethodPost, "/mcp", http.NoBody)
			r.Host = c.request.host
			for name, value := range c.request.forwarded {
				r.Header.Set(name, value)
			}
			if c.request.origin != "" {
				r.Header.Set("Origin", c.request.origin)
			}
			w := httptest.NewRecorder()
			Guard(c.o, slog.New(slog.DiscardHandler), http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r })).ServeHTTP(w, r)
			if w.Code != c.status || (seen != nil) != (c.status == 200) {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			if seen != nil && (seen.RemoteAddr != c.from || OriginOf(seen) != c.origin || seen.Host != c.hostIs) {
				t.Errorf("from %s to %s, host %s", seen.RemoteAddr, OriginOf(seen), seen.Host)
			}
		})
	}
}
