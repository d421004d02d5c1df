package config

import (
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"issues-index/store/pattern"
)

var decimal = pattern.Lazy(`^-?(0|[1-9][0-9]*)$`)

// whole is a whole number in its plain form.
func whole(least, most int) kind[int] {
	return kind[int]{
		allowed: fmt.Sprintf("a whole number from %d to %d", least, most),
		tags:    []string{"!!int"},
		parse: func(r raw) (int, error) {
			n, err := strconv.Atoi(r.text)
			if err != nil || !decimal().MatchString(r.text) || n < least || n > most {
				return 0, errNot
			}
			return n, nil
		},
		format: strconv.Itoa,
	}
}

// share is a part of a whole.
func share() kind[float64] {
	return kind[float64]{
		allowed: "a number from 0 to 1",
		tags:    []string{"!!int", "!!float"},
		parse: func(r raw) (float64, error) {
			f, err := strconv.ParseFloat(r.text, 64)
			if err != nil || math.IsNaN(f) || f < 0 || f > 1 {
				return 0, errNot
			}
			return math.Abs(f), nil // no minus at zero
		},
		format: func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) },
	}
}

// toggle is a yes or no, in the words that YAML and people have for it.
func toggle() kind[bool] {
	return kind[bool]{
		allowed: "true or false",
		parse: func(r raw) (bool, error) {
			switch strings.ToLower(r.text) {
			case "true", "on", "yes", "1":
				return true, nil
			case "false", "off", "no", "0":
				return false, nil
			}
			return false, errNot
		},
		format: strconv.FormatBool,
	}
}

// oneOf is a word of a list.
func oneOf(words ...string) kind[string] {
	return kind[string]{
		allowed: either(words),
		parse: func(r raw) (string, error) {
			word := strings.ToLower(r.text)
			if !slices.Contains(words, word) {
				return "", errNot
			}
			return word, nil
		},
		format: func(s string) string { return s },
	}
}

// either joins words as a sentence has them.
func either(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func level() kind[slog.Level] {
	names := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	return kind[slog.Level]{
		allowed: "debug, info, warn or error",
		parse: func(r raw) (slog.Level, error) {
			found, ok := names[strings.ToLower(r.text)]
			if !ok {
				return 0, errNot
			}
			return found, nil
		},
		format: func(l slog.Level) string { return strings.ToLower(l.String()) },
		json:   func(l slog.Level) any { return strings.ToLower(l.String()) },
	}
}

// names is a list of different words, separated by commas where it is text.
func names(known ...string) kind[[]string] {
	return kind[[]string]{
		allowed: "a list of " + strings.Join(known, ", "),
		list:    true,
		parse: func(r raw) ([]string, error) {
			var list []string
			for word := range strings.SplitSeq(r.text, ",") {
				word = strings.TrimSpace(word)
				if !slices.Contains(known, word) {
					return nil, errNot
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

// duration has Go's units, and d for days.
func duration(least, most time.Duration) kind[time.Duration] {
	return kind[time.Duration]{
		allowed: fmt.Sprintf("a duration from %s to %s", formatDuration(least), formatDuration(most)),
		parse: func(r raw) (time.Duration, error) {
			d, err := parseDuration(r.text)
			if err != nil || d < least || d > most {
				return 0, errNot
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
			return 0, errNot
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

// units of sizes, the largest first.
var units = []struct {
	name  string
	bytes int
}{{"GB", 1_000_000_000}, {"MB", 1_000_000}, {"KB", 1000}, {"B", 1}}

// size is a number of bytes, with a unit or without.
func size(least, most int) kind[int] {
	return kind[int]{
		allowed: fmt.Sprintf("a size from %s to %s", formatSize(least), formatSize(most)),
		parse: func(r raw) (int, error) {
			n, err := parseSize(r.text)
			if err != nil || n < least || n > most {
				return 0, errNot
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
		return 0, errNot
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

// line is a text of one line.
func line() kind[string] {
	return kind[string]{
		allowed: "a text of one line, at most 200 characters",
		parse: func(r raw) (string, error) {
			if r.text == "" || len(r.text) > 200 || strings.ContainsFunc(r.text, unicode.IsControl) || strings.TrimSpace(r.text) != r.text {
				return "", errNot
			}
			return r.text, nil
		},
		format: func(s string) string { return s },
	}
}
