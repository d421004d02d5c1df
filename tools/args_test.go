package tools_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"issues-index/tools"
)

// taker is a tool whose arguments the tests read; nothing is ever done.
func taker(readOnly bool) tools.Tool {
	return tools.Tool{
		Name:     "take",
		ReadOnly: readOnly,
		Input: json.RawMessage(`{"type":"object","required":["id"],"properties":{
			"id":{},"labels":{},"limit":{},"confirm":{},"after":{},"status":{},"filters":{},"value":{}}}`),
	}
}

func read(t *testing.T, raw string) *tools.Args {
	t.Helper()
	return tools.NewArgs(taker(true), json.RawMessage(raw))
}

func TestArgsCoercion(t *testing.T) {
	statuses := []string{"open", "in_progress", "closed"}
	day := time.Date(2026, 2, 15, 0, 0, 0, 0, time.UTC)
	str := func(a *tools.Args) any { return a.String("id") }
	strs := func(a *tools.Args) any { return a.Strings("labels") }
	names := func(a *tools.Args) any { return a.Names("labels") }
	enum := func(a *tools.Args) any { return a.Enum("status", statuses...) }
	enums := func(a *tools.Args) any { return a.Enums("status", statuses...) }
	inUse := func(a *tools.Args) any {
		return a.Enums("status", "in_progress", "In Progress", "To Do", "To do", "Done, late")
	}
	number := func(a *tools.Args) any { return a.Int("limit", 1, 100, 25) }
	truth := func(a *tools.Args) any { return a.Bool("confirm") }
	date := func(a *tools.Args) any { return a.Time("after") }
	none := []string(nil)

	for _, c := range []struct {
		name, raw string
		get       func(*tools.Args) any
		want      any
	}{
		{"a string is itself, spaces and all", `{"id":" a\n"}`, str, " a\n"},
		{"a number stands for its digits", `{"id":42}`, str, "42"},
		{"a big number keeps every digit", `{"id":12345678901234567890}`, str, "12345678901234567890"},
		{"an absent string is empty", `{}`, str, ""},
		{"null is absent", `{"id":null}`, str, ""},
		{"no arguments at all", ``, str, ""},
		{"null for all arguments", `null`, str, ""},
		{"the text of an object is the object", `"{\"id\":\"x\"}"`, str, "x"},

		{"a list of strings", `{"labels":["a","b, c"]}`, strs, []string{"a", "b, c"}},
		{"numbers in a list", `{"labels":[7,"b"]}`, strs, []string{"7", "b"}},
		{"a lone string is a list of one", `{"labels":"a,b"}`, strs, []string{"a,b"}},
		{"a lone number is a list of one", `{"labels":7}`, strs, []string{"7"}},
		{"the text of a list is the list", `{"labels":"[\"a\",\"b\"]"}`, strs, []string{"a", "b"}},
		{"a bracket that opens no list is text", `{"labels":"[wip"}`, strs, []string{"[wip"}},
		{"an empty list is not an absent one", `{"labels":[]}`, strs, []string{}},
		{"blank items are dropped", `{"labels":["", " "]}`, strs, []string{}},
		{"an absent list is nil", `{}`, strs, none},

		{"a comma makes two names", `{"labels":"a, b"}`, names, []string{"a", "b"}},
		{"in a list too", `{"labels":["a,b","c"]}`, names, []string{"a", "b", "c"}},
		{"absent names are nil", `{}`, names, none},

		{"an enum's value", `{"status":"open"}`, enum, "open"},
		{"case does not matter", `{"status":"Open"}`, enum, "open"},
		{"nor how the words are joined", `{"status":"In Progress"}`, enum, "in_progress"},
		{"a blank enum is absent", `{"status":""}`, enum, ""},
		{"several values in one string", `{"status":"open,in-progress"}`, enums, []string{"open", "in_progress"}},
		{"a repeated value counts once", `{"status":["open","OPEN"]}`, enums, []string{"open"}},
		{"absent enums are nil", `{}`, enums, none},
		{"a value spelled as it is allowed is no other", `{"status":["In Progress","To do"]}`, inUse, []string{"In Progress", "To do"}},
		{"spelled as none is, it is all that it could be", `{"status":"TO-DO,in-progress"}`, inUse, []string{"To Do", "To do", "in_progress", "In Progress"}},
		{"a value that has a comma", `{"status":"Done, late"}`, inUse, []string{"Done, late"}},

		{"a number", `{"limit":3}`, number, 3},
		{"the text of a number", `{"limit":"3"}`, number, 3},
		{"a whole number with a fraction", `{"limit":3.0}`, number, 3},
		{"an exponent", `{"limit":1e2}`, number, 100},
		{"the bounds are allowed", `{"limit":100}`, number, 100},
		{"an absent number is the default", `{}`, number, 25},
		{"so is a blank one", `{"limit":""}`, number, 25},

		{"true", `{"confirm":true}`, truth, true},
		{"the text of true", `{"confirm":"true"}`, truth, true},
		{"the text of True", `{"confirm":"True"}`, truth, true},
		{"the text of false", `{"confirm":"false"}`, truth, false},
		{"an absent truth value is false", `{}`, truth, false},

		{"a date is its first moment on this machine", `{"after":"2026-02-15"}`, date, time.Date(2026, 2, 15, 0, 0, 0, 0, time.Local)},
		{"a date-time in UTC", `{"after":"2026-02-15T10:30:00Z"}`, date, day.Add(630 * time.Minute)},
		{"milliseconds", `{"after":"2026-02-15T00:00:00.250Z"}`, date, day.Add(250 * time.Millisecond)},
		{"another zone", `{"after":"2026-02-15T10:00:00+02:00"}`, date, day.Add(8 * time.Hour)},
		{"no zone is this machine's", `{"after":"2026-02-15T10:30"}`, date, time.Date(2026, 2, 15, 10, 30, 0, 0, time.Local)},
		{"a space for the T", `{"after":"2026-02-15 10:30:00"}`, date, time.Date(2026, 2, 15, 10, 30, 0, 0, time.Local)},
		{"an absent time is zero", `{}`, date, time.Time{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := read(t, c.raw)
			got := c.get(args)
			if err := args.Err(); err != nil {
				t.Fatal(err)
			}
			same := reflect.DeepEqual(got, c.want)
			if when, ok := c.want.(time.Time); ok {
				same = when.Equal(got.(time.Time))
			}
			if !same {
				t.Errorf("got %#v, want %#v", got, c.want)
			}
		})
	}
}

func TestArgsRequired(t *testing.T) {
	args := read(t, `{"id":"x","labels":["a","b"],"status":"open"}`)
	id, labels, status := args.Required("id"), args.RequiredIDs("labels", 2), args.RequiredEnum("status", "open")
	if args.Err() != nil || id != "x" || len(labels) != 2 || status != "open" {
		t.Errorf("got %q %q %q, error %v", id, labels, status, args.Err())
	}
}

func TestArgsObject(t *testing.T) {
	t.Run("its members are read like arguments", func(t *testing.T) {
		args := read(t, `{"filters":{"status":"open","limit":"7"}}`)
		filters := args.Object("filters", "status", "limit")
		if got := filters.Enums("status", "open"); !slices.Equal(got, []string{"open"}) {
			t.Errorf("status is %v", got)
		}
		if got := filters.Int("limit", 1, 10, 5); got != 7 {
			t.Errorf("limit is %d", got)
		}
		if err := args.Err(); err != nil {
			t.Error(err)
		}
	})
	t.Run("its text is the object", func(t *testing.T) {
		args := read(t, `{"filters":"{\"status\":\"open\"}"}`)
		if got := args.Object("filters", "status").String("status"); got != "open" {
			t.Errorf("status is %q, error %v", got, args.Err())
		}
	})
	t.Run("an absent one has no members", func(t *testing.T) {
		args := read(t, `{}`)
		if args.Object("filters", "status").Has("status") || args.Err() != nil {
			t.Errorf("error %v", args.Err())
		}
	})
}

func TestArgsJSON(t *testing.T) {
	args := read(t, `{"value":null}`)
	if got := string(args.JSON("value")); got != "null" || args.Has("value") {
		t.Errorf("null is a value that JSON returns and Has does not count: %q", got)
	}
	if args.JSON("id") != nil {
		t.Error("an absent value is nil")
	}
}

func TestArgsGiven(t *testing.T) {
	a := read(t, `{"labels":["a"],"filters":{"b":1,"a":9007199254740993},"id":null,"unknown":1}`).Given()
	b := read(t, `{"filters": {"a":9007199254740993, "b":1}, "labels": ["a"]}`).Given()
	if !reflect.DeepEqual(a, b) || len(a) != 2 {
		t.Errorf("%v and %v are the same arguments", a, b)
	}
	if c := read(t, `{"labels":["a"],"filters":{"b":1,"a":9007199254740992}}`).Given(); reflect.DeepEqual(a, c) {
		t.Error("numbers that differ in their last digit are not the same")
	}
}

// FuzzArgs holds that no argument makes a getter panic, and that an error's
// text stays short whatever was sent.
func FuzzArgs(f *testing.F) {
	for _, seed := range []string{`{}`, `{"id":"x","limit":1e400}`, `[1]`, `"{"`, `{"labels":[[]],"filters":{"a":null}}`, `{"id":"\u0000"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return
		}
		for _, readOnly := range []bool{true, false} {
			a := tools.NewArgs(taker(readOnly), raw)
			a.Required("id")
			a.RequiredIDs("labels", 3)
			a.Names("labels")
			a.Enums("status", "open", "closed")
			a.Int("limit", 1, 100, 25)
			a.Bool("confirm")
			a.Time("after")
			a.Object("filters", "status").RequiredEnum("status", "open")
			a.JSON("value")
			a.Given()
			if err := a.Err(); err != nil && len(err.Error()) >= 500 {
				t.Errorf("error of %d bytes", len(err.Error()))
			}
		}
	})
}

func TestAStrictReaderRefusesAnUnknownArgument(t *testing.T) {
	input := json.RawMessage(`{"type":"object","properties":{"stream":{"type":"string"}}}`)
	for name, test := range map[string]struct {
		tool tools.Tool
		want string
	}{
		"a reader takes it":        {tools.Tool{Name: "t", Input: input, ReadOnly: true}, ""},
		"a strict reader does not": {tools.Tool{Name: "t", Input: input, ReadOnly: true, Strict: true}, "Error [VALIDATION_ERROR]: Unknown argument 'streem'. Did you mean stream? t takes stream."},
		"nor does a writer":        {tools.Tool{Name: "t", Input: input}, "Error [VALIDATION_ERROR]: Unknown argument 'streem', nothing was changed. Did you mean stream? t takes stream."},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := tools.NewArgs(test.tool, json.RawMessage(`{"streem":"x"}`)).Err(); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
