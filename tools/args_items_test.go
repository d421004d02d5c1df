package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"issues-index/tools"
)

func TestMembers(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"an object's members, whatever they are", `{"value":{"a":1,"b":{"c":[2]}}}`, `{"a":1,"b":{"c":[2]}}`},
		{"null is a value", `{"value":{"a":null,"b":"x"}}`, `{"a":null,"b":"x"}`},
		{"the text of an object is one", `{"value":"{\"a\":1}"}`, `{"a":1}`},
		{"an empty object has none", `{"value":{}}`, `{}`},
		{"an absent one has none", `{}`, `null`},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := read(t, c.raw)
			got, err := json.Marshal(args.Members("value"))
			if err != nil || args.Err() != nil || string(got) != c.want {
				t.Errorf("got %s, want %s; %v, %v", got, c.want, err, args.Err())
			}
		})
	}
	t.Run("anything else is refused", func(t *testing.T) {
		for _, raw := range []string{`{"value":[1]}`, `{"value":"text"}`, `{"value":3}`} {
			args := read(t, raw)
			if args.Members("value"); args.Err() == nil || !strings.Contains(args.Err().Error(), "Pass an object.") {
				t.Errorf("%s: %v", raw, args.Err())
			}
		}
	})
}

func TestItems(t *testing.T) {
	items := func(args *tools.Args) []*tools.Args { return args.Items("value", 3, "id", "id", "status") }
	for _, c := range []struct{ name, raw, want string }{
		{"objects", `{"value":[{"id":"a"},{"id":"b"}]}`, "a b"},
		{"the text of a list", `{"value":"[{\"id\":\"a\"}]"}`, "a"},
		{"one object alone", `{"value":{"id":"a"}}`, "a"},
		{"the texts of objects", `{"value":["{\"id\":\"a\"}"]}`, "a"},
	} {
		t.Run("they may be "+c.name, func(t *testing.T) {
			args := read(t, c.raw)
			var ids []string
			for _, item := range items(args) {
				ids = append(ids, item.Required("id"))
				if err := item.Err(); err != nil {
					t.Error(err)
				}
			}
			if got := strings.Join(ids, " "); args.Err() != nil || got != c.want {
				t.Errorf("got %s, want %s; %v", got, c.want, args.Err())
			}
		})
	}
	t.Run("too few, too many or something else is refused as a whole", func(t *testing.T) {
		for raw, want := range map[string]string{
			`{}`:                      "Missing required argument value.",
			`{"value":null}`:          "Missing required argument value.",
			`{"value":[]}`:            "Missing required argument value: it is empty.",
			`{"value":[{},{},{},{}]}`: "Too many value: 4, the maximum is 3.",
			`{"value":"text"}`:        "Pass a list of objects.",
			`{"value":7}`:             "Pass a list of objects.",
		} {
			args := read(t, raw)
			if got := items(args); got != nil || args.Err() == nil || !strings.Contains(args.Err().Error(), want) {
				t.Errorf("%s: %d items, %v", raw, len(got), args.Err())
			}
		}
	})
	t.Run("what is wrong with one spoils no other", func(t *testing.T) {
		args := tools.NewArgs(taker(false), json.RawMessage(`{"value":[{"id":"a","colour":1},{"status":"open"},{"id":"c"}]}`))
		var got []string
		for _, item := range items(args) {
			item.Required("id")
			got = append(got, fmt.Sprint(item.Err()))
		}
		for i, want := range []string{
			"Unknown argument 'value[0].colour', nothing was changed. Each of value takes id (required), status.",
			"Missing required argument value[1].id. Each of value takes id (required), status.",
			"<nil>",
		} {
			if !strings.Contains(got[i], want) {
				t.Errorf("item %d: %s, want %s", i, got[i], want)
			}
		}
		if args.Err() != nil {
			t.Errorf("the whole is refused: %v", args.Err())
		}
	})
}
