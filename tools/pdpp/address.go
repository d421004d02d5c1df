package pdpp

import (
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

// defaultPorts are those that an address need not name.
var defaultPorts = map[string]string{"http": "80", "https": "443"}

// canonical is an address in the one form that `pdpp connect` writes it in, and names
// the file of its credential after: the host in lower case and ASCII, without the port
// that goes without saying.
func canonical(address *url.URL) *url.URL {
	same := *address
	host := strings.ToLower(address.Hostname())
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	port := address.Port()
	switch {
	case port != "" && port != defaultPorts[address.Scheme]:
		same.Host = net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		same.Host = "[" + host + "]"
	default:
		same.Host = host
	}
	same.Path, same.RawPath = strings.TrimRight(address.Path, "/"), strings.TrimRight(address.RawPath, "/")
	return &same
}

// onThisMachine reports whether what is sent to an address never leaves the machine.
func onThisMachine(address *url.URL) bool {
	host := address.Hostname()
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// sameServer reports whether two canonical addresses are of one server: the same host
// and port, reached in the same way. Without TLS another may listen, but on this
// machine that makes no difference.
func sameServer(a, b *url.URL) bool {
	return a.Host == b.Host && (a.Scheme == b.Scheme || onThisMachine(a))
}
