package config

import (
	"net"
	"net/url"
	"strconv"
	"strings"
)

// token is a secret that goes into a header.
func token() kind[Secret] {
	return kind[Secret]{
		allowed: "visible ASCII characters, without blanks",
		parse: func(r raw) (Secret, error) {
			if r.text == "" || len(r.text) > 4096 || strings.ContainsFunc(r.text, func(c rune) bool { return c <= ' ' || c > '~' }) {
				return "", errNot
			}
			return Secret(r.text), nil
		},
		format: func(s Secret) string {
			if s == "" {
				return "not set"
			}
			return "set"
		},
		json:  func(s Secret) any { return s != "" },
		exact: Secret.Reveal,
	}
}

// scheme is one of these words for an Authorization header, as they are written.
func scheme(words ...string) kind[string] {
	return kind[string]{
		allowed: either(words),
		parse: func(r raw) (string, error) {
			for _, word := range words {
				if strings.EqualFold(word, r.text) {
					return word, nil
				}
			}
			return "", errNot
		},
		format: func(s string) string { return s },
	}
}

// address is where to listen. Without a host it is this machine alone.
func address() kind[string] {
	return kind[string]{
		allowed: "HOST:PORT, or a port of this machine alone",
		parse: func(r raw) (string, error) {
			host, port := "", r.text
			if strings.Contains(r.text, ":") {
				var err error
				if host, port, err = net.SplitHostPort(r.text); err != nil {
					return "", errNot
				}
			}
			if n, err := strconv.Atoi(port); err != nil || !decimal().MatchString(port) || n < 0 || n > 65535 ||
				strings.ContainsFunc(host, func(c rune) bool { return c <= ' ' || c > '~' || c == '/' || c == '@' }) {
				return "", errNot
			}
			if host == "" {
				host = "127.0.0.1"
			}
			return net.JoinHostPort(host, port), nil
		},
		format: func(s string) string { return s },
	}
}

// site is the address of a service.
func site() kind[string] {
	return kind[string]{
		allowed: "an http or https address without user, query or fragment",
		parse: func(r raw) (string, error) {
			u, err := url.Parse(r.text)
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
				u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Opaque != "" || !portOrNone(u.Port()) {
				return "", errNot
			}
			return r.text, nil
		},
		format: func(s string) string { return s },
	}
}

// portOrNone reports whether a port can be, where it is named.
func portOrNone(port string) bool {
	if port == "" {
		return true
	}
	_, err := strconv.ParseUint(port, 10, 16)
	return err == nil
}

// urlPath is the path of an address.
func urlPath() kind[string] {
	return kind[string]{
		allowed: "a path like /api/v2/",
		parse: func(r raw) (string, error) {
			path := strings.TrimRight(r.text, "/") + "/"
			if !strings.HasPrefix(path, "/") {
				path = "/" + path
			}
			u, err := url.Parse(path)
			if err != nil || r.text == "" || u.Host != "" || strings.ContainsAny(path, "?#:") {
				return "", errNot
			}
			return path, nil
		},
		format: func(s string) string { return s },
	}
}
