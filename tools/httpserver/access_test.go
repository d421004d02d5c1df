package httpserver

import (
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
	Guard(host, page).ServeHTTP(w, r)
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

func TestOnlyGetAndHeadAreServed(t *testing.T) {
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace, "BREW"} {
		w := served("127.0.0.1", method, "/", "localhost", "")
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d, Allow %q", method, w.Code, w.Header().Get("Allow"))
		}
	}
	if got := served("127.0.0.1", http.MethodHead, "/", "localhost", "").Code; got != http.StatusOK {
		t.Errorf("HEAD: %d", got)
	}
}

func TestSecurityHeaders(t *testing.T) {
	for _, asked := range []string{"localhost", "evil.example"} {
		h := served("127.0.0.1", http.MethodGet, "/", asked, "").Header()
		policy := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: policy %q", asked, policy)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: types may be guessed", asked)
		}
		if allowed := h.Get("Access-Control-Allow-Origin"); allowed != "" {
			t.Errorf("%s: %s may read the answer", asked, allowed)
		}
	}
}
