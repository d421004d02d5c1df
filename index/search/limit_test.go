package search

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// numbered is as many different words, from the first number on.
func numbered(first, words int) string {
	var b []byte
	for n := range words {
		b = append(strconv.AppendInt(append(b, 'w'), int64(first+n), 10), ' ')
	}
	return strings.TrimSuffix(string(b), " ")
}

// differentWords counts the different words of all fields.
func differentWords(fields []string) int {
	words := strings.Fields(strings.Join(fields, " "))
	slices.Sort(words)
	return len(slices.Compact(words))
}

func TestLimitWordsKeepsDocumentsWithFewWords(t *testing.T) {
	most := numbered(0, MaxWords)
	for name, fields := range map[string][]string{
		"an empty document":                        {"", "", ""},
		"as many words as there may be":            {"w1", "w2", most},
		"the same words again and again":           {"", "", most + " " + most + " " + most},
		"a long text of few words":                 {"title", "", strings.Repeat("all work and no play ", 200_000)},
		"the words of one field again in the next": {most, most, most},
	} {
		t.Run(name, func(t *testing.T) {
			fed, limited := LimitWords(slices.Clone(fields)...)
			if limited || !slices.Equal(fed, fields) {
				t.Errorf("limited: %v, %d different words of %d", limited, differentWords(fed), differentWords(fields))
			}
		})
	}
}

func TestLimitWordsBoundsTheDifferentWords(t *testing.T) {
	for name, fields := range map[string][]string{
		"one word too many": {"title", "", numbered(0, MaxWords)},
		"a million words":   {"a title", "label ¶ other", numbered(0, 1_000_000)},
		"short words":       {"", "", strings.Repeat("a b ", 100_000) + numbered(0, MaxWords)},
	} {
		t.Run(name, func(t *testing.T) {
			fed, limited := LimitWords(fields...)
			if got := differentWords(fed); !limited || got != MaxWords {
				t.Errorf("limited: %v, %d different words", limited, got)
			}
			if fed[0] != fields[0] || fed[1] != fields[1] {
				t.Errorf("title and labels are not whole: %q", fed[:2])
			}
		})
	}
}

func TestLimitWordsMarksWhatItLeavesOut(t *testing.T) {
	first, surplus := numbered(0, MaxWords-1), numbered(MaxWords, 1000)
	fed, _ := LimitWords("", "", first+" "+surplus+" w1 w2 "+surplus+" w3 "+surplus)
	if want := first + " … w1 w2 … w3 …"; fed[2] != want {
		t.Errorf("the end is %q", fed[2][len(first)-10:])
	}
	if strings.Contains(string(Feed(nil, Omitted)), Omitted) {
		t.Error("a text can have the mark as a word")
	}
}
