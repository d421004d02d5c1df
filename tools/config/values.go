package config

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"issues-index/store/pattern"
)

var decimal = pattern.Lazy(`^(0|[1-9][0-9]*)$`)

// parseDecimal reads a number of 0 or more, without a sign or zeros before it.
func parseDecimal(text string) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && decimal().MatchString(text)
}

// whole is an integer in decimal form.
func whole(at *int, least, most int) Value {
	return variable(at, fmt.Sprintf("a whole number from %d to %d", least, most), func(text string) (int, bool) {
		n, ok := parseDecimal(text)
		return n, ok && n >= least && n <= most
	})
}

// share is a number from 0 to 1.
func share(at *float64) Value {
	return variable(at, "a number from 0 to 1", func(text string) (float64, bool) {
		f, err := strconv.ParseFloat(text, 64)
		return math.Abs(f), err == nil && f >= 0 && f <= 1 // no minus at zero
	})
}

// toggle is true or false, or another word for one of them.
func toggle(at *bool) Value {
	return variable(at, "true or false", func(text string) (value, ok bool) {
		switch strings.ToLower(text) {
		case "true", "on", "yes", "1":
			return true, true
		case "false", "off", "no", "0":
			return false, true
		}
		return false, false
	})
}

// oneOf is one of these words, in any case.
func oneOf(at *string, words ...string) Value {
	return variable(at, either(words), func(text string) (string, bool) {
		i := slices.IndexFunc(words, func(word string) bool { return strings.EqualFold(word, text) })
		return words[max(i, 0)], i >= 0
	})
}

// either joins words with commas and or.
func either(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// level is a level of the log.
func level(at *slog.Level) Value {
	words := []string{"debug", "info", "warn", "error"}
	return variable(at, either(words), func(text string) (l slog.Level, ok bool) {
		err := l.UnmarshalText([]byte(text))
		return l, err == nil && slices.Contains(words, strings.ToLower(text))
	})
}

// list is one text or several, with commas or blanks between them. valid reports whether one
// is allowed.
func list(at *[]string, of string, valid func(text string) bool) Value {
	v := variable(at, "a list of "+of, func(text string) ([]string, bool) {
		items := strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' })
		odd := func(item string) bool { return !valid(item) }
		return items, len(items) > 0 && !slices.ContainsFunc(items, odd)
	})
	v.isList = true
	return v
}

// names is a list of these words.
func names(at *[]string, known []string) Value {
	return list(at, strings.Join(known, ", "), func(text string) bool { return slices.Contains(known, text) })
}

// scopes are names as OAuth writes them: RFC 6749, section 3.3.
func scopes(at *[]string) Value {
	return list(at, "scopes, which have no blanks or quotes", func(text string) bool {
		return !strings.ContainsFunc(text, func(c rune) bool { return notVisible(c) || c == '"' || c == '\\' })
	})
}

// notVisible reports whether a character is none of those of ASCII that a header shows.
func notVisible(c rune) bool { return c <= ' ' || c > '~' }

// duration is a duration with Go's units or d for days.
func duration(at *time.Duration, least, most time.Duration) Value {
	allowed := fmt.Sprintf("a duration from %s to %s", formatDuration(least), formatDuration(most))
	return variable(at, allowed, func(text string) (time.Duration, bool) {
		d, err := time.ParseDuration(text)
		if days, ok := strings.CutSuffix(text, "d"); ok {
			n, isNumber := parseDecimal(days)
			if isNumber && n <= 100_000 { // more would overflow
				d, err = time.Duration(n)*day, nil
			}
		}
		return d, err == nil && d >= least && d <= most
	})
}

const day = 24 * time.Hour

func formatDuration(d time.Duration) string {
	if d >= day && d%day == 0 {
		return strconv.Itoa(int(d/day)) + "d"
	}
	text := d.String()
	if trimmed, ok := strings.CutSuffix(text, "m0s"); ok {
		text = trimmed + "m"
	}
	if trimmed, ok := strings.CutSuffix(text, "h0m"); ok {
		text = trimmed + "h"
	}
	return text
}

// A ByteSize is a number of bytes.
type ByteSize int

// units are the units of sizes, the largest first.
var units = []struct {
	name  string
	bytes ByteSize
}{{"GB", 1_000_000_000}, {"MB", 1_000_000}, {"KB", 1000}, {"B", 1}}

// size is a number of bytes, with or without a unit.
func size(at *ByteSize, least, most ByteSize) Value {
	return variable(at, fmt.Sprintf("a size from %s to %s", least, most), func(text string) (ByteSize, bool) {
		factor := ByteSize(1)
		for _, unit := range units {
			if number, ok := strings.CutSuffix(strings.ToUpper(text), unit.name); ok {
				text, factor = strings.TrimSpace(number), unit.bytes
				break
			}
		}
		n, ok := parseDecimal(text)
		size := ByteSize(n) * factor
		return size, ok && ByteSize(n) <= most/factor && size >= least
	})
}

func (n ByteSize) String() string {
	for _, unit := range units {
		if n >= unit.bytes && n%unit.bytes == 0 {
			return strconv.Itoa(int(n/unit.bytes)) + unit.name
		}
	}
	return strconv.Itoa(int(n))
}

// line is a line of text.
func line(at *string) Value {
	return variable(at, "a text of one line, at most 200 characters", func(text string) (string, bool) {
		return text, text != "" && len(text) <= 200 && strings.TrimSpace(text) == text &&
			!strings.ContainsFunc(text, unicode.IsControl)
	})
}

// path is the path of a file or folder.
func path(at *string) Value {
	v := variable(at, "a path", func(text string) (string, bool) {
		return text, text != "" && !strings.ContainsRune(text, 0)
	})
	v.isPath = true
	return v
}

// token is a secret in an HTTP header.
func token(at *Secret) Value {
	return variable(at, "visible ASCII characters, without blanks", func(text string) (Secret, bool) {
		return Secret(text), text != "" && len(text) <= 4096 && !strings.ContainsFunc(text, notVisible)
	})
}

// address is an address to listen on. Without a host it is on the loopback interface.
func address(at *string) Value {
	return variable(at, "HOST:PORT, or a port of this machine alone", func(text string) (string, bool) {
		host, port, err := "", text, error(nil)
		if strings.Contains(text, ":") {
			host, port, err = net.SplitHostPort(text)
		}
		n, ok := parseDecimal(port)
		odd := strings.ContainsFunc(host, notVisible) || strings.ContainsAny(host, "/@")
		return net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port), err == nil && ok && n <= 65535 && !odd
	})
}

// site is the URL of a service.
func site(at *string) Value {
	return variable(at, "an http or https address without user, query or fragment", isSite)
}

func isSite(text string) (string, bool) {
	u, err := url.Parse(text)
	if err == nil && u.Port() != "" {
		_, err = strconv.ParseUint(u.Port(), 10, 16)
	}
	return text, err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" && u.Opaque == ""
}

// origin is the address of a server, without a path.
func origin(at *string) Value {
	return variable(at, "http or https, and a host: https://issues.example.org", func(text string) (string, bool) {
		text = strings.TrimRight(text, "/")
		_, ok := isSite(text)
		return text, ok && strings.Count(text, "/") == 2
	})
}

// urlPath is the path of a URL.
func urlPath(at *string) Value {
	return variable(at, "a path like /api/v2/", func(text string) (string, bool) {
		path := strings.TrimRight(text, "/") + "/"
		if !strings.HasPrefix(path, "/") {
			path = "/" + path
		}
		u, err := url.Parse(path)
		return path, err == nil && text != "" && u.Host == "" && !strings.ContainsAny(path, "?#:")
	})
}

// clusterNodes are addresses of nodes of a NATS cluster. A password belongs into a file.
func clusterNodes(at *[]string) Value {
	const of = "addresses like tls://nats1.example.org:4222, with nats, tls, ws or wss and no password, " +
		"which team.credentials has"
	return list(at, of, func(text string) bool {
		u, err := url.Parse(text)
		return err == nil && slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) && u.Hostname() != "" &&
			u.User == nil && u.RawQuery == "" && u.Fragment == "" && strings.Trim(u.Path, "/") == ""
	})
}
