package transport

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// policy allows the page its own files and answers, and nothing else: no inline script
// or style, no other host, no frame around it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Guard lets requests through to a handler that a server with these options shall answer: those
// that name its host, and come from its own pages or from no page. A page whose host name was
// made to resolve to this machine sends that name as Host; any other page sends its own as
// Origin, or says in Sec-Fetch-Site that it is foreign. Of other sites' requests only those are
// answered with which a person follows a link here: how long any other one takes would tell that
// site something, and its cost is the server's. What is refused is logged, because its sender may
// be a page that the user knows nothing of.
func Guard(o ListenOptions, log *slog.Logger, next http.Handler) http.Handler {
	hosts, own, base := namesOf(o.host()), http.NewCrossOriginProtection(), ""
	if o.Base != nil {
		base = o.Base.Scheme + "://" + o.Base.Host
		hosts.names = append(hosts.names, o.Base.Hostname())
		if err := own.AddTrustedOrigin(base); err != nil {
			log.Error("trust the pages of the base address", "error", err)
		}
	}
	refuse := func(w http.ResponseWriter, r *http.Request, text string) {
		log.Warn("refused over HTTP", "reason", text, "method", r.Method, "path", short(r.URL.Path),
			"host", short(r.Host), "origin", short(r.Header.Get("Origin")), "from", r.RemoteAddr)
		http.Error(w, text, http.StatusForbidden)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme := "http"
		if o.TrustProxy {
			r, scheme = behindProxy(r)
		}
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin") // with no-referrer, browsers send the forms of a page with the Origin null
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !hosts.allow(r.Host) {
			refuse(w, r, "This host name is not served. Use the address that the server logged at its start.")
			return
		}
		if origins := r.Header.Values("Origin"); len(origins) > 0 && !sameOrigin(origins, r.Host) &&
			(len(origins) > 1 || !strings.EqualFold(origins[0], base)) {
			refuse(w, r, "Requests from other origins are not served.")
			return
		}
		if err := own.Check(r); err != nil {
			refuse(w, r, "Writes of other sites are not served.")
			return
		}
		if isForeignRead(r.Header) {
			refuse(w, r, "Requests of other sites are not served, unless they lead a person to a page.")
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), originKey{}, cmp.Or(base, scheme+"://"+r.Host))))
	})
}

// isForeignRead reports whether a page of another site, or of another port of this host, has a
// browser ask for something without going there. Clients that are no browsers say nothing of it.
func isForeignRead(h http.Header) bool {
	switch h.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return false
	}
	return h.Get("Sec-Fetch-Mode") != "navigate" || h.Get("Sec-Fetch-Dest") != "" && h.Get("Sec-Fetch-Dest") != "document"
}

type originKey struct{}

// OriginOf returns the address of the server as the sender of a request knows it: a scheme and
// a host. It is "" before [Guard] has seen the request.
func OriginOf(r *http.Request) string {
	origin, _ := r.Context().Value(originKey{}).(string)
	return origin
}

// maxLogged bounds what the log has of a header or a path, in bytes: its sender chooses it.
const maxLogged = 200

func short(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxLogged)], "") }

func sameOrigin(origins []string, host string) bool {
	return len(origins) == 1 &&
		(strings.EqualFold(origins[0], "http://"+host) || strings.EqualFold(origins[0], "https://"+host))
}

// hostNames are the host names of a listener.
type hostNames struct {
	local bool // it listens on the loopback interface only
	names []string
}

// namesOf returns the names for the host of a listener's address. IP addresses cannot be
// used for DNS rebinding, so a listener that is open to others allows all of them.
func namesOf(host string) hostNames {
	ip, err := netip.ParseAddr(host)
	if strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback() {
		return hostNames{local: true, names: []string{"localhost"}}
	}
	names := []string{"localhost"}
	if err != nil {
		names = append(names, host)
	}
	if own, err := os.Hostname(); err == nil {
		names = append(names, own)
	}
	return hostNames{names: names}
}

// allow reports whether a Host header names the listener. The port does not matter: the
// other end of a tunnel may have another one.
func (n hostNames) allow(header string) bool {
	host := header
	if h, _, err := net.SplitHostPort(header); err == nil {
		host = h
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return !n.local || ip.IsLoopback()
	}
	host = strings.TrimSuffix(host, ".")
	return slices.ContainsFunc(n.names, func(name string) bool { return strings.EqualFold(host, name) })
}
