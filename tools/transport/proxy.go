package transport

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// behindProxy returns a request as the proxy in front of this server got it, and the scheme
// that it came with. A proxy adds its own word at the end of a header that its client may have
// sent already, so the last one counts.
func behindProxy(r *http.Request) (seen *http.Request, scheme string) {
	seen = r.WithContext(r.Context())
	if from, err := netip.ParseAddr(lastWord(r.Header, "X-Forwarded-For")); err == nil {
		seen.RemoteAddr = net.JoinHostPort(from.String(), "0")
	}
	if host := lastWord(r.Header, "X-Forwarded-Host"); host != "" {
		seen.Host = host // Guard looks at it as at any other
	}
	if strings.EqualFold(lastWord(r.Header, "X-Forwarded-Proto"), "https") {
		return seen, "https"
	}
	return seen, "http"
}

// lastWord returns the last entry of a header that is a list.
func lastWord(h http.Header, name string) string {
	all := strings.Join(h.Values(name), ",")
	return strings.TrimSpace(all[strings.LastIndexByte(all, ',')+1:])
}
