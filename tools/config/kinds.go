package config

import (
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

var decimal = pattern.Lazy(`^-?(0|[1-9][0-9]*)$`)

// whole is an integer in decimal form.
func whole(least, most int) valueType[int] {
	return valueType[int]{
		allowed: fmt.Sprintf("a whole number from %d to %d", least, most),
		tags:    []string{"!!int"},
		parse: func(r raw) (int, error) {
			n, err := strconv.Atoi(r.text)
			if err != nil || !decimal().MatchString(r.text) || n < least || n > most {
				return 0, errNotAllowed
			}
			return n, nil
		},
	}
}

// share is a number from 0 to 1.
func share() valueType[float64] {
	return valueType[float64]{
		allowed: "a number from 0 to 1",
		tags:    []string{"!!int", "!!float"},
		parse: func(r raw) (float64, error) {
			f, err := strconv.ParseFloat(r.text, 64)
			if err != nil || math.IsNaN(f) || f < 0 || f > 1 {
				return 0, errNotAllowed
			}
			return math.Abs(f), nil // no minus at zero
		},
	}
}

// toggle is true or false, or another word for one of them.
func toggle() valueType[bool] {
	return valueType[bool]{
		allowed: "true or false",
		parse: func(r raw) (bool, error) {
			switch strings.ToLower(r.text) {
			case "true", "on", "yes", "1":
				return true, nil
			case "false", "off", "no", "0":
				return false, nil
			}
			return false, errNotAllowed
		},
	}
}

// oneOf is one of these words, in any case.
func oneOf(words ...string) valueType[string] {
	return valueType[string]{
		allowed: either(words),
		parse: func(r raw) (string, error) {
			i := slices.IndexFunc(words, func(word string) bool { return strings.EqualFold(word, r.text) })
			if i < 0 {
				return "", errNotAllowed
			}
			return words[i], nil
		},
	}
}

// either joins words with commas and or.
func either(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// level is a level of the log.
func level() valueType[slog.Level] {
	words := oneOf("debug", "info", "warn", "error")
	format := func(l slog.Level) string { return strings.ToLower(l.String()) }
	return valueType[slog.Level]{
		allowed: words.allowed,
		parse: func(r raw) (l slog.Level, err error) {
			word, err := words.parse(r)
			if err == nil {
				err = l.UnmarshalText([]byte(word))
			}
			return l, err
		},
		format: format,
		json:   func(l slog.Level) any { return format(l) },
	}
}

// names is a list of different words, separated by commas in text.
func names(known ...string) valueType[[]string] {
	return valueType[[]string]{
		allowed: "a list of " + strings.Join(known, ", "),
		list:    true,
		parse: func(r raw) ([]string, error) {
			var list []string
			for word := range strings.SplitSeq(r.text, ",") {
				word = strings.TrimSpace(word)
				if !slices.Contains(known, word) {
					return nil, errNotAllowed
				}
				if slices.Contains(list, word) {
					return nil, fmt.Errorf("%s is there twice", word)
				}
				list = append(list, word)
			}
			return list, nil
		},
		format: func(list []string) string { return strings.Join(list, ", ") },
	}
}

// duration is a duration with Go's units or d for days.
func duration(least, most time.Duration) valueType[time.Duration] {
	return valueType[time.Duration]{
		allowed: fmt.Sprintf("a duration from %s to %s", formatDuration(least), formatDuration(most)),
		parse: func(r raw) (time.Duration, error) {
			d, err := parseDuration(r.text)
			if err != nil || d < least || d > most {
				return 0, errNotAllowed
			}
			return d, nil
		},
		format: formatDuration,
		json:   func(d time.Duration) any { return formatDuration(d) },
	}
}

const day = 24 * time.Hour

func parseDuration(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok && decimal().MatchString(days) {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > 100_000 {
			return 0, errNotAllowed
		}
		return time.Duration(n) * day, nil
	}
	return time.ParseDuration(text)
}

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

// units are the units of sizes, the largest first.
var units = []struct {
	name  string
	bytes int
}{{"GB", 1_000_000_000}, {"MB", 1_000_000}, {"KB", 1000}, {"B", 1}}

// size is a number of bytes, with or without a unit.
func size(least, most int) valueType[int] {
	return valueType[int]{
		allowed: fmt.Sprintf("a size from %s to %s", formatSize(least), formatSize(most)),
		parse: func(r raw) (int, error) {
			n, err := parseSize(r.text)
			if err != nil || n < least || n > most {
				return 0, errNotAllowed
			}
			return n, nil
		},
		format: formatSize,
	}
}

func parseSize(text string) (int, error) {
	number, factor := text, 1
	for _, unit := range units {
		if cut, ok := strings.CutSuffix(strings.ToUpper(text), unit.name); ok {
			number, factor = strings.TrimSpace(cut), unit.bytes
			break
		}
	}
	n, err := strconv.Atoi(number)
	if err != nil || !decimal().MatchString(number) || n < 0 || n > math.MaxInt/factor {
		return 0, errNotAllowed
	}
	return n * factor, nil
}

func formatSize(n int) string {
	for _, unit := range units {
		if n >= unit.bytes && n%unit.bytes == 0 {
			return strconv.Itoa(n/unit.bytes) + unit.name
		}
	}
	return strconv.Itoa(n)
}

// line is a line of text.
func line() valueType[string] {
	return valueType[string]{
		allowed: "a text of one line, at most 200 characters",
		parse: func(r raw) (string, error) {
			if r.text == "" || len(r.text) > 200 || strings.ContainsFunc(r.text, unicode.IsControl) || strings.TrimSpace(r.text) != r.text {
				return "", errNotAllowed
			}
			return r.text, nil
		},
	}
}

// token is a secret in an HTTP header.
func token() valueType[Secret] {
	return valueType[Secret]{
		allowed: "visible ASCII characters, without blanks",
		parse: func(r raw) (Secret, error) {
			if r.text == "" || len(r.text) > 4096 || strings.ContainsFunc(r.text, func(c rune) bool { return c <= ' ' || c > '~' }) {
				return "", errNotAllowed
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

// address is an address to listen on. Without a host it is on the loopback interface.
func address() valueType[string] {
	return valueType[string]{
		allowed: "HOST:PORT, or a port of this machine alone",
		parse: func(r raw) (string, error) {
			host, port := "", r.text
			if strings.Contains(r.text, ":") {
				var err error
				if host, port, err = net.SplitHostPort(r.text); err != nil {
					return "", errNotAllowed
				}
			}
			if n, err := strconv.Atoi(port); err != nil || !decimal().MatchString(port) || n < 0 || n > 65535 ||
				strings.ContainsFunc(host, func(c rune) bool { return c <= ' ' || c > '~' || c == '/' || c == '@' }) {
				return "", errNotAllowed
			}
			if host == "" {
				host = "127.0.0.1"
			}
			return net.JoinHostPort(host, port), nil
		},
	}
}

// site is the URL of a service.
func site() valueType[string] {
	return valueType[string]{
		allowed: "an http or https address without user, query or fragment",
		parse: func(r raw) (string, error) {
			u, err := url.Parse(r.text)
			if err == nil && u.Port() != "" {
				_, err = strconv.ParseUint(u.Port(), 10, 16)
			}
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
				u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Opaque != "" {
				return "", errNotAllowed
			}
			return r.text, nil
		},
	}
}

// urlPath is the path of a URL.
func urlPath() valueType[string] {
	return valueType[string]{
		allowed: "a path like /api/v2/",
		parse: func(r raw) (string, error) {
			path := strings.TrimRight(r.text, "/") + "/"
			if !strings.HasPrefix(path, "/") {
				path = "/" + path
			}
			u, err := url.Parse(path)
			if err != nil || r.text == "" || u.Host != "" || strings.ContainsAny(path, "?#:") {
				return "", errNotAllowed
			}
			return path, nil
		},
	}
}
