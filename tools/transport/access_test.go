package transport

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// served answers a request as a server that listens on host does.
func served(host, method, target, hostHeader, origin string) *httptest.ResponseRecorder {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	r := httptest.NewRequest(method, target, http.NoBody)
	r.Host = hostHeader
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	w := httptest.NewRecorder()
	Guard(ListenOptions{Address: net.JoinHostPort(host, "0")}, slog.New(slog.DiscardHandler), page).ServeHTTP(w, r)
	return w
}

func TestForeignHostNamesAreRefused(t *testing.T) {
	const ok, refused = http.StatusOK, http.StatusForbidden
	for _, c := range []struct {
		why            string
		listens, asked string
		want           int
	}{
		{"the address itself", "127.0.0.1", "127.0.0.1:8080", ok},
		{"its name", "127.0.0.1", "localhost:8080", ok},
		{"its name in capitals, and with the dot of a full name", "127.0.0.1", "LOCALHOST.:8080", ok},
		{"another port, as at the end of a tunnel", "127.0.0.1", "localhost:9999", ok},
		{"no port", "127.0.0.1", "127.0.0.1", ok},
		{"the same machine in IPv6", "127.0.0.1", "[::1]:8080", ok},
		{"IPv6 without a port", "::1", "[::1]", ok},
		{"a name that was made to lead here", "127.0.0.1", "evil.example:8080", refused},
		{"a name that only begins well", "127.0.0.1", "localhost.evil.example:8080", refused},
		{"a name that only begins with the number", "127.0.0.1", "127.0.0.1.evil.example", refused},
		{"another machine's number", "127.0.0.1", "192.168.1.5:8080", refused},
		{"none", "127.0.0.1", "", refused},
		{"any number, where others are let in", "0.0.0.0", "192.168.1.5:8080", ok},
		{"a name, where others are let in", "0.0.0.0", "evil.example:8080", refused},
		{"the name it listens on", "box.example", "box.example:8080", ok},
	} {
		if got := served(c.listens, http.MethodGet, "/", c.asked, "").Code; got != c.want {
			t.Errorf("%s: listening on %s, asked for %q: %d, want %d", c.why, c.listens, c.asked, got, c.want)
		}
	}
}

func TestForeignOriginsAreRefused(t *testing.T) {
	for origin, want := range map[string]int{
		"":                              http.StatusOK,
		"http://localhost:8080":         http.StatusOK,
		"https://localhost:8080":        http.StatusOK, // behind a proxy that ends TLS
		"http://localhost:3000":         http.StatusForbidden,
		"http://127.0.0.1:8080":         http.StatusForbidden,
		"http://evil.example":           http.StatusForbidden,
		"http://localhost:8080.evil.io": http.StatusForbidden,
		"null":                          http.StatusForbidden,
		"chrome-extension://abc":        http.StatusForbidden,
	} {
		if got := served("127.0.0.1", http.MethodGet, "/api/overview", "localhost:8080", origin).Code; got != want {
			t.Errorf("origin %q: %d, want %d", origin, got, want)
		}
	}
}

// A browser names the origin of a write, or says at least how far away the page is.
func TestWritesOfOtherSitesAreRefused(t *testing.T) {
	for site, want := range map[string]int{"": http.StatusOK, "same-origin": http.StatusOK, "none": http.StatusOK, "same-site": http.StatusForbidden, "cross-site": http.StatusForbidden} {
		r := httptest.NewRequest(http.MethodPost, "/", http.NoBody)
		r.Host = "localhost"
		r.Header.Set("Sec-Fetch-Site", site)
		w := httptest.NewRecorder()
		Guard(ListenOptions{}, slog.New(slog.DiscardHandler), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("a write of %q: %d, want %d", site, w.Code, want)
		}
	}
}

// What another site's page asks for in passing is answered nowhere: it would learn how long that
// takes. A link leads here.
func TestOtherSitesReadNothing(t *testing.T) {
	for _, c := range []struct {
		site, mode, dest string
		want             int
	}{
		{"", "", "", http.StatusOK},
		{"none", "navigate", "document", http.StatusOK},
		{"same-origin", "cors", "empty", http.StatusOK},
		{"same-origin", "no-cors", "style", http.StatusOK},
		{"cross-site", "navigate", "document", http.StatusOK},
		{"same-site", "navigate", "document", http.StatusOK},
		{"cross-site", "navigate", "", http.StatusOK}, // of browsers that say no more
		{"cross-site", "navigate", "iframe", http.StatusForbidden},
		{"cross-site", "navigate", "object", http.StatusForbidden},
		{"cross-site", "no-cors", "image", http.StatusForbidden},
		{"cross-site", "no-cors", "script", http.StatusForbidden},
		{"cross-site", "cors", "empty", http.StatusForbidden},
		{"cross-site", "", "", http.StatusForbidden},
		{"same-site", "no-cors", "image", http.StatusForbidden},
		{"somewhere", "no-cors", "image", http.StatusForbidden},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			for _, target := range []string{"/d/ISS-000001", "/search?q=a", "/events", "/mcp", "/healthz"} {
				r := httptest.NewRequest(method, target, http.NoBody)
				r.Host = "localhost"
				for name, value := range map[string]string{"Sec-Fetch-Site": c.site, "Sec-Fetch-Mode": c.mode, "Sec-Fetch-Dest": c.dest} {
					if value != "" {
						r.Header.Set(name, value)
					}
				}
				reached := http.StatusForbidden
				w := httptest.NewRecorder()
				Guard(ListenOptions{}, slog.New(slog.DiscardHandler), http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = http.StatusOK })).ServeHTTP(w, r)
				if w.Code != c.want || reached != c.want {
					t.Errorf("%s %s, %+v: %d", method, target, c, w.Code)
				}
			}
		}
	}
}

func TestSecurityHeaders(t *testing.T) {
	for _, asked := range []string{"localhost", "evil.example"} {
		h := served("127.0.0.1", http.MethodGet, "/", asked, "").Header()
		policy := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: policy %q", asked, policy)
		}
		if h.Get("Referrer-Policy") != "same-origin" { // with no-referrer, browsers send forms with the Origin null
			t.Errorf("%s: a browser is told to send %s", asked, h.Get("Referrer-Policy"))
		}
		if h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: types may be guessed", asked)
		}
		if allowed := h.Get("Access-Control-Allow-Origin"); allowed != "" {
			t.Errorf("%s: %s may read the answer", asked, allowed)
		}
	}
}

func TestRefusalsAreLogged(t *testing.T) {
	for why, change := range map[string]func(*http.Request){
		"evil.example":               func(r *http.Request) { r.Host = "evil.example" },
		"http://evil.example":        func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"Writes of other sites":      func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		strings.Repeat("a", 200):     func(r *http.Request) { r.Host = strings.Repeat("a", 10_000) },
		`"forged\nlevel=ERROR line"`: func(r *http.Request) { r.Header.Set("Origin", "forged\nlevel=ERROR line") },
	} {
		var lines bytes.Buffer
		r := httptest.NewRequest(http.MethodPost, "/mcp", http.NoBody)
		r.Host = "localhost:8080"
		change(r)
		page := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Errorf("%s: it was served", why) })
		Guard(ListenOptions{}, slog.New(slog.NewTextHandler(&lines, nil)), page).ServeHTTP(httptest.NewRecorder(), r)
		if line := lines.String(); strings.Count(line, "\n") != 1 || len(line) > 1000 || !strings.Contains(line, why) || !strings.Contains(line, "path=/mcp") {
			t.Errorf("%s: the log has %q", why, line)
		}
	}
	lines := bytes.Buffer{}
	r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	r.Host = "localhost:8080"
	Guard(ListenOptions{}, slog.New(slog.NewTextHandler(&lines, nil)), http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), r)
	if lines.Len() > 0 {
		t.Errorf("of a request that was let through, the log has %q", lines.String())
	}
}
