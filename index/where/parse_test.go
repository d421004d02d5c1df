package where

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestTextsAndTheirCanonicalForms(t *testing.T) {
	for _, c := range []struct{ name, text, canonical string }{
		{"no text", "", ""},
		{"blanks alone", " \t\n", ""},

		{"a comparison", "status = open", "status = open"},
		{"without blanks", "status=open", "status = open"},
		{"every operator", "a=1 a!=1 a<1 a<=1 a>1 a>=1 a~1 a!~1", "a = 1 and a != 1 and a < 1 and a <= 1 and a > 1 and a >= 1 and a ~ 1 and a !~ 1"},
		{"one of several", "status IN(open,closed)", "status in (open, closed)"},
		{"none of several", "status not in (open, closed)", "not status in (open, closed)"},
		{"empty", "assignee = EMPTY", "assignee = empty"},
		{"an empty text is empty", `assignee != ""`, "assignee != empty"},
		{"empty among several", "assignee in (ann, empty)", "assignee in (ann, empty)"},
		{"me", "assignee = @Me", "assignee = @me"},
		{"me without the sign", "assignee in (Me)", "assignee in (me)"},
		{"who is called so", `assignee = "me"`, `assignee = "me"`},
		{"days counted from today", "updated > -7D due <= +2w", "updated > -7d and due <= +2w"},
		{"today", "closed = Today", "closed = today"},
		{"a time", "updated >= 2026-01-02T10:00Z", "updated >= 2026-01-02t10:00z"},

		{"quotes that change nothing", `status = "open" and "status" = 'open'`, "status = open and status = open"},
		{"quotes that a text needs", `title ~ 'two words'`, `title ~ "two words"`},
		{"quotes that take a meaning away", `version = "1.10" and who = "@me" and title = "empty" and due = "2026-01-02"`, `version = "1.10" and who = "@me" and title = "empty" and due = "2026-01-02"`},
		{"a keyword as a value", `title = "and"`, `title = "and"`},
		{"a quote in quotes", `title = "a \"b\" \\ c\d" or title = 'it"s'`, `title = "a \"b\" \\ c\\d" or title = it"s`},
		{"a field in quotes", `"due date" < today`, `"due date" < today`},
		{"a field like a keyword", `"sort" = 1`, `"sort" = 1`},

		{"and", "a = 1 AND b = 2", "a = 1 and b = 2"},
		{"side by side means and", "a = 1 b = 2", "a = 1 and b = 2"},
		{"or", "a = 1 Or b = 2", "a = 1 or b = 2"},
		{"and binds tighter than or", "a = 1 or b = 2 and c = 3", "a = 1 or b = 2 and c = 3"},
		{"parentheses that do nothing", "(a = 1 and ((b = 2))) or c = 3", "a = 1 and b = 2 or c = 3"},
		{"parentheses that do something", "(a = 1 or b = 2) c = 3", "(a = 1 or b = 2) and c = 3"},
		{"not binds tighter than and", "not a = 1 b = 2", "not a = 1 and b = 2"},
		{"not of several", "NOT (a = 1 b = 2)", "not (a = 1 and b = 2)"},
		{"not not", "not not (not a = 1)", "not not not a = 1"},

		{"a predicate", "IS:Ready has:boxes", "is:ready and has:boxes"},
		{"a predicate of a document", "under:SPEC-000001 blocks:'ISS 2'", `under:SPEC-000001 and blocks:"ISS 2"`},
		{"a predicate turned round", "-is:blocked", "not is:blocked"},
		{"a label", "label:api Label:'two words'", `labels = api and labels = "two words"`},
		{"a parent", "parent:ISS-1", "parent = ISS-1"},
		{"a field with a colon", "status:open assignee:@me -project:empty", "status = open and assignee = @me and not project = empty"},
		{"a keyword behind a colon", "label:and", `labels = "and"`},

		{"words", "fix  cache", "fix cache"},
		{"words with and", "fix and cache", "fix cache"},
		{"words of one parenthesis", "(fix cache) or bug", "fix cache or bug"},
		{"a phrase", `"goes before" 'it is'`, `"goes before" "it is"`},
		{"a word to leave out", `-draft -"goes before"`, `-draft -"goes before"`},
		{"a word of the title", `title:cache Title:"goes before"`, `title:cache title:"goes before"`},
		{"words and fields", "fix status = open cache", "fix and status = open and cache"},
		{"not of words", "not fix cache or not (fix cache)", "not fix and cache or not (fix cache)"},
		{"in before no parenthesis is a word", "fix in parser", "fix in parser"},
		{"a keyword to search for", `"not" 'OR'`, `"not" "OR"`},
		{"signs in a word", `don't say"hi" foo:bar #12 https://example.org/a`, `don't say"hi" foo:bar #12 https://example.org/a`},
		{"other scripts", "検索 title ~ Ünïcode", "検索 and title ~ Ünïcode"},

		{"an order", "sort updated desc, priority", "sort updated desc, priority"},
		{"criteria and an order", "is:ready SORT priority DESC , updated asc", "is:ready sort priority desc, updated"},
		{"words and an order", "fix cache sort title", "fix cache sort title"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse(c.text)
			if err != nil {
				t.Fatalf("%s: %v", c.text, err)
			}
			if canonical(got) != c.canonical {
				t.Errorf("%s is written\n%s, want\n%s", c.text, canonical(got), c.canonical)
			}
			checkRoundTrip(t, got)
		})
	}
}

func TestTextsMeanTrees(t *testing.T) {
	for text, want := range map[string]Criteria{
		"status = open or not fix cache": {Where: Or{
			Compare{Field: "status", Op: Equal, Values: []Operand{{Text: "open"}}},
			And{Not{Search{{Text: "fix"}}}, Search{{Text: "cache"}}},
		}},
		`is:ready estimate in (3, "3") sort updated desc`: {
			Where: And{
				Predicate{Name: "is", Arg: "ready"},
				Compare{Field: "estimate", Op: In, Values: []Operand{{Text: "3"}, {Text: "3", Quoted: true}}},
			},
			Sort: []SortField{{Field: "updated", Desc: true}},
		},
		`cache -title:"a b"`: {Where: Search{{Text: "cache"}, {Text: "a b", Phrase: true, Lead: "-title:"}}},
	} {
		got, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := withoutColumns(got); !reflect.DeepEqual(got, &want) {
			t.Errorf("%s is read as\n%#v, want\n%#v", text, got, want)
		}
	}
}

func TestWrongTextsAndTheirErrors(t *testing.T) {
	const aTerm = "a field, a word or a parenthesis (keywords and signs are searched for in quotes)"
	const aValue = "a value (in quotes, if it is not one plain word)"
	for text, want := range map[string]string{
		"label:(none)":                    `column 1: expected one value after the colon, got "label:("; did you mean "labels = empty"?`,
		"titel:token":                     `column 1: expected a field before the colon, or quotes around words to search for, got "titel:token"; did you mean "title:token"?`,
		"status =":                        `column 9: expected ` + aValue + `, got the end`,
		"status = = open":                 `column 10: expected ` + aValue + `, got "="`,
		"status == open":                  `column 9: expected ` + aValue + `, got "="`,
		"status = and":                    `column 10: expected ` + aValue + `, got "and"`,
		"status = (open)":                 `column 10: expected ` + aValue + `, got "("`,
		`status = title:"a b"`:            `column 10: expected ` + aValue + `, got "title:\"a b\""`,
		"= open":                          `column 1: expected ` + aTerm + `, got "="`,
		"and status = open":               `column 1: expected ` + aTerm + `, got "and"`,
		"status = open and":               `column 18: expected ` + aTerm + `, got the end`,
		"status = open or or":             `column 18: expected ` + aTerm + `, got "or"`,
		"a and, b":                        `column 6: expected ` + aTerm + `, got ","`,
		"not":                             `column 4: expected ` + aTerm + `, got the end`,
		"in (open)":                       `column 1: expected ` + aTerm + `, got "in"`,
		"assignee empty":                  `column 10: expected ` + aTerm + `, got "empty"`,
		"parse.Go()":                      `column 10: expected ` + aTerm + `, got ")"`,
		"(status = open":                  `column 15: expected ) or another term, got the end`,
		"status = open)":                  `column 14: expected a term, and, or, sort or the end, got ")"`,
		"fix, cache":                      `column 4: expected a term, and, or, sort or the end, got ","`,
		"status in ()":                    `column 12: expected ` + aValue + `, got ")"`,
		"status in (open":                 `column 16: expected a comma or ), got the end`,
		"status in (open closed)":         `column 17: expected a comma or ), got "closed"`,
		"updated < empty":                 `column 11: expected a value that is not empty, or = or != before it, got "empty"`,
		`title ~ ""`:                      `column 9: expected a value that is not empty, or = or != before it, got "\"\""`,
		`title = "open`:                   `column 14: expected " to close the quote of column 9, got the end`,
		"日本 = 'x":                         `column 8: expected ' to close the quote of column 6, got the end`,
		"label:":                          `column 7: expected one value after the colon, got "label:"`,
		"is: ready":                       `column 4: expected one value after the colon, got "is:"`,
		`label:a:"b"`:                     `column 7: expected one value after the colon, got "label:a:\"b\""`,
		`asignee:"Ann B"`:                 `column 1: expected a field before the colon, got "asignee:\"Ann B\""; did you mean "assignee"?`,
		"sort":                            `column 5: expected a field to sort by, got the end`,
		"sort updated,":                   `column 14: expected a field to sort by, got the end`,
		"sort updated down":               `column 14: expected a comma or the end, since sort comes last, got "down"`,
		"sort updated status = open":      `column 14: expected a comma or the end, since sort comes last, got "status"`,
		strings.Repeat("(", 51) + "a":     `column 51: expected at most 50 parentheses and nots in each other, got one more`,
		strings.Repeat("not ", 51):        `column 201: expected at most 50 parentheses and nots in each other, got one more`,
		strings.Repeat("(", 50) + "-is:x": `column 51: expected at most 50 parentheses and nots in each other, got one more`,
		strings.Repeat("é ", 201):         `column 401: expected at most 200 words and values, got one more`,
		"a in (" + strings.Repeat("1,", 200) + "1)": `column 407: expected at most 200 words and values, got one more`,
		strings.Repeat("é", 2049):                   `column 2049: expected at most 4096 bytes, got 4098`,
		"a = " + strings.Repeat("x", 100) + "\"":    "",
	} {
		_, err := Parse(text)
		var wrong *SyntaxError
		switch {
		case want == "" && err == nil:
		case !errors.As(err, &wrong):
			t.Errorf("%s: %v", text, err)
		case err.Error() != want:
			t.Errorf("%s\nis answered %s\nwant        %s", text, err, want)
		}
	}
}

func TestNumbersAreDigits(t *testing.T) {
	for text, want := range map[string]float64{"3": 3, "-1.50": -1.5, "+2": 2, "007": 7, "0.1": 0.1, "-0": 0, "999999999999999": 999999999999999} {
		if got, ok := Number(text); !ok || got != want {
			t.Errorf("%s is %v (%v)", text, got, ok)
		}
	}
	for _, text := range []string{"", "-", "+-3", "1e3", "0x10", "1.", ".5", "1.2.3", "inf", "NaN", "1_000", "9999999999999999", "1 ", "३"} {
		if got, ok := Number(text); ok {
			t.Errorf("%q is the number %v", text, got)
		}
	}
}

func TestPeriods(t *testing.T) {
	zone := time.FixedZone("east", 9*60*60)
	now := time.Date(2026, 3, 31, 23, 30, 0, 0, zone)
	const form = "2006-01-02T15:04:05.999Z"
	for text, want := range map[string][2]string{
		"today":                   {"2026-03-30T15:00:00Z", "2026-03-31T15:00:00Z"},
		"-0d":                     {"2026-03-30T15:00:00Z", "2026-03-31T15:00:00Z"},
		"-7d":                     {"2026-03-23T15:00:00Z", "2026-03-24T15:00:00Z"},
		"+2w":                     {"2026-04-13T15:00:00Z", "2026-04-14T15:00:00Z"},
		"-1mo":                    {"2026-02-27T15:00:00Z", "2026-02-28T15:00:00Z"}, // the last day of February
		"7d":                      {"2026-03-23T15:00:00Z", "2026-03-24T15:00:00Z"},
		"Yesterday":               {"2026-03-29T15:00:00Z", "2026-03-30T15:00:00Z"},
		"-90m":                    {"2026-03-31T13:00:00Z", "2026-03-31T13:00:00.001Z"},
		"24H":                     {"2026-03-30T14:30:00Z", "2026-03-30T14:30:00.001Z"},
		"-1y":                     {"2025-03-30T15:00:00Z", "2025-03-31T15:00:00Z"},
		"2026-01-02":              {"2026-01-01T15:00:00Z", "2026-01-02T15:00:00Z"},
		"2026-01-02T10:00":        {"2026-01-02T01:00:00Z", "2026-01-02T01:01:00Z"},
		"2026-01-02 10:00:05":     {"2026-01-02T01:00:05Z", "2026-01-02T01:00:06Z"},
		"2026-01-02t10:00:05z":    {"2026-01-02T10:00:05Z", "2026-01-02T10:00:06Z"},
		"2026-01-02T10:00+02:00":  {"2026-01-02T08:00:00Z", "2026-01-02T08:01:00Z"},
		"2026-01-02T10:00:05.25Z": {"2026-01-02T10:00:05.25Z", "2026-01-02T10:00:05.251Z"},
	} {
		p, ok := parsePeriod(text, now)
		if got := [2]string{p.start.UTC().Format(form), p.end.UTC().Format(form)}; !ok || got != want {
			t.Errorf("%s is %v (%v), want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-d", "-7", "2026-02-30", "2026-1-2", "0000-01-01", "tomorrow", "-999999d", "-9999999d", "+9000y"} {
		if p, ok := parsePeriod(text, now); ok {
			t.Errorf("%q is %v", text, p)
		}
	}
}

func TestCountsWithoutASignAreTextOfOwnKeys(t *testing.T) {
	for text, want := range map[string]bool{
		"-3d": true, "+2w": true, "-90m": true, "-3mo": true, "today": true, "Yesterday": true, "2026-01-02": true, "2026-01-02T10:00": true,
		"3d": false, "90m": false, "24h": false, "3mo": false, "1y": false, "3": false, "x": false, "": false,
	} {
		if isDate(text) != want {
			t.Errorf("%q is a date: %v", text, !want)
		}
	}
}
