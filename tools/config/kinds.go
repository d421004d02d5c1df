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

// checked is a type whose texts only have to be parsed. parse reports whether a text is
// allowed.
func checked[T any](allowed string, parse func(text string) (T, bool), tags ...string) valueType[T] {
	return valueType[T]{
		allowed: allowed, tags: tags,
		parse: func(r raw) (v T, err error) {
			v, ok := parse(r.text)
			if !ok {
				err = errNotAllowed
			}
			return v, err
		},
	}
}

var decimal = pattern.Lazy(`^(0|[1-9][0-9]*)$`)

// parseDecimal reads a number of 0 or more, without a sign or zeros before it.
func parseDecimal(text string) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && decimal().MatchString(text)
}

// whole is an integer in decimal form.
func whole(least, most int) valueType[int] {
	return checked(fmt.Sprintf("a whole number from %d to %d", least, most), func(text string) (int, bool) {
		n, ok := parseDecimal(text)
		return n, ok && n >= least && n <= most
	}, "!!int")
}

// share is a number from 0 to 1.
func share() valueType[float64] {
	return checked("a number from 0 to 1", func(text string) (float64, bool) {
		f, err := strconv.ParseFloat(text, 64)
		return math.Abs(f), err == nil && f >= 0 && f <= 1 // no minus at zero
	}, "!!int", "!!float")
}

// toggle is true or false, or another word for one of them.
func toggle() valueType[bool] {
	return checked("true or false", func(text string) (value, ok bool) {
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
func oneOf(words ...string) valueType[string] {
	return checked(either(words), func(text string) (string, bool) {
		i := slices.IndexFunc(words, func(word string) bool { return strings.EqualFold(word, text) })
		if i < 0 {
			return "", false
		}
		return words[i], true
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
	made := checked(fmt.Sprintf("a duration from %s to %s", formatDuration(least), formatDuration(most)), func(text string) (time.Duration, bool) {
		d, err := time.ParseDuration(text)
		if days, ok := strings.CutSuffix(text, "d"); ok {
			n, isNumber := parseDecimal(days)
			if isNumber && n <= 100_000 { // more would overflow
				d, err = time.Duration(n)*day, nil
			}
		}
		return d, err == nil && d >= least && d <= most
	})
	made.format = formatDuration
	made.json = func(d time.Duration) any { return formatDuration(d) }
	return made
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

// units are the units of sizes, the largest first.
var units = []struct {
	name  string
	bytes int
}{{"GB", 1_000_000_000}, {"MB", 1_000_000}, {"KB", 1000}, {"B", 1}}

// size is a number of bytes, with or without a unit.
func size(least, most int) valueType[int] {
	made := checked(fmt.Sprintf("a size from %s to %s", formatSize(least), formatSize(most)), func(text string) (int, bool) {
		factor := 1
		for _, unit := range units {
			if number, ok := strings.CutSuffix(strings.ToUpper(text), unit.name); ok {
				text, factor = strings.TrimSpace(number), unit.bytes
				break
			}
		}
		n, ok := parseDecimal(text)
		return n * factor, ok && n <= most/factor && n*factor >= least
	})
	made.format = formatSize
	return made
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
	return checked("a text of one line, at most 200 characters", func(text string) (string, bool) {
		return text, text != "" && len(text) <= 200 && !strings.ContainsFunc(text, unicode.IsControl) && strings.TrimSpace(text) == text
	})
}

// token is a secret in an HTTP header.
func token() valueType[Secret] {
	made := checked("visible ASCII characters, without blanks", func(text string) (Secret, bool) {
		return Secret(text), text != "" && len(text) <= 4096 && !strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' })
	})
	made.format = func(s Secret) string { return map[bool]string{true: "set", false: "not set"}[s != ""] }
	made.json = func(s Secret) any { return s != "" }
	made.exact = Secret.Reveal
	return made
}

// address is an address to listen on. Without a host it is on the loopback interface.
func address() valueType[string] {
	return checked("HOST:PORT, or a port of this machine alone", func(text string) (string, bool) {
		host, port, err := "", text, error(nil)
		if strings.Contains(text, ":") {
			host, port, err = net.SplitHostPort(text)
		}
		n, ok := parseDecimal(port)
		odd := strings.ContainsFunc(host, func(c rune) bool { return c <= ' ' || c > '~' || c == '/' || c == '@' })
		return net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port), err == nil && ok && n <= 65535 && !odd
	})
}

// site is the URL of a service.
func site() valueType[string] {
	return checked("an http or https address without user, query or fragment", func(text string) (string, bool) {
		u, err := url.Parse(text)
		if err == nil && u.Port() != "" {
			_, err = strconv.ParseUint(u.Port(), 10, 16)
		}
		return text, err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
			u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" && u.Opaque == ""
	})
}

// origin is the address of a server, without a path.
func origin() valueType[string] {
	made := site()
	parse := made.parse
	made.allowed = "http or https, and a host: https://issues.example.org"
	made.parse = func(r raw) (string, error) {
		text, err := parse(r)
		if u, _ := url.Parse(text); err == nil && strings.Trim(u.Path, "/") != "" {
			return "", errNotAllowed
		}
		return strings.TrimRight(text, "/"), err
	}
	return made
}

// scopes are names as OAuth writes them: RFC 6749, section 3.3.
func scopes() valueType[[]string] {
	return valueType[[]string]{
		allowed: "a list of scopes, which have no blanks or quotes",
		list:    true,
		parse: func(r raw) (list []string, err error) {
			for _, word := range strings.FieldsFunc(r.text, func(c rune) bool { return c == ',' || c == ' ' }) {
				if strings.ContainsFunc(word, func(c rune) bool { return c <= ' ' || c > '~' || c == '"' || c == '\\' }) {
					return nil, errNotAllowed
				}
				list = append(list, word)
			}
			if len(list) == 0 {
				return nil, errNotAllowed
			}
			return list, nil
		},
		format: func(list []string) string { return strings.Join(list, ", ") },
	}
}

// urlPath is the path of a URL.
func urlPath() valueType[string] {
	return checked("a path like /api/v2/", func(text string) (string, bool) {
		path := strings.TrimRight(text, "/") + "/"
		if !strings.HasPrefix(path, "/") {
			path = "/" + path
		}
		u, err := url.Parse(path)
		return path, err == nil && text != "" && u.Host == "" && !strings.ContainsAny(path, "?#:")
	})
}
