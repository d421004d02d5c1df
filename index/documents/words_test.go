package documents

import (
	"errors"
	"fmt"
	"testing"

	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/words"
)

func TestWordsOfASearchThatLookLikeFilters(t *testing.T) {
	advice := func(q Qualifier) string { return fmt.Sprintf("%q of %q, and %q", q.Value, q.Filter, q.Rest) }
	for text, want := range map[string]string{
		"hook status:open":            `status:open was searched as text: "open" of "status", and "hook"`,
		`-is:"open"`:                  `-is:"open" was searched as text: "open" of "status", and ""`,
		"sort:updated rain":           `sort:updated was searched as text: "updated" of "", and "rain"`,
		"titel:hook":                  "titel:hook was searched as text: did you mean title:hook?",
		"title:hook label:git":        "",
		"https://example.org foo:bar": "",
	} {
		if got := MissedQualifier(text, advice); got != want {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
}

func TestFieldsAreSetAsTheyAreTyped(t *testing.T) {
	l := layout.Default()
	var f store.Fields
	for _, typed := range [][2]string{
		{"status", "In Progress"}, {"labels+", "a, b"}, {"labels-", "c"}, {"assignee", ""}, {"context.n", "[1]"}, {"context.s", "x"},
	} {
		if note, err := SetField(&f, l, typed[0], typed[1]); note != "" || err != nil {
			t.Errorf("%s: %q, %v", typed, note, err)
		}
	}
	if *f.Status != "in_progress" || len(f.AddLabels) != 2 || len(f.RemoveLabels) != 1 || *f.Assignee != "" ||
		string(f.Context["n"]) != "[1]" || string(f.Context["s"]) != `"x"` {
		t.Errorf("%+v", f)
	}
	if note, err := SetField(&f, l, "status", "done"); note != "status 'done' was taken for closed" || err != nil {
		t.Errorf("%q, %v", note, err)
	}
	var choice *words.ChoiceError
	var empty *store.ValueError
	var unknown *UnknownFieldError
	if _, err := SetField(&f, l, "status", "opne"); !errors.As(err, &choice) || choice.Near != "open" {
		t.Error(err)
	}
	if _, err := SetField(&f, l, "title", " "); !errors.As(err, &empty) {
		t.Error(err)
	}
	if _, err := SetField(&f, l, "label", "x"); !errors.As(err, &unknown) || unknown.Near != "labels" {
		t.Error(err)
	}
}
