package answer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"issues-index/tools/answer"
)

const narrow = "Call again with a smaller limit."

var usual = answer.Defaults().Budget("", 0)

func holds(object json.RawMessage) bool { return usual.Holds(string(object)) }

func squeezed(t *testing.T, object string) map[string]any {
	t.Helper()
	got := answer.SqueezeObject(json.RawMessage(object), nil, narrow, holds)
	if !holds(got) {
		t.Fatalf("%d bytes: %.300s", len(got), got)
	}
	var members map[string]any
	if err := json.Unmarshal(got, &members); err != nil {
		t.Fatalf("%v: %.300s", err, got)
	}
	return members
}

func TestSqueezeObject(t *testing.T) {
	long := strings.Repeat("long text ", 5000)
	t.Run("what fits is the same, byte for byte", func(t *testing.T) {
		const object = `{"a" : [1, 2],"t":"\u003c"}`
		if got := answer.SqueezeObject(json.RawMessage(object), nil, narrow, holds); string(got) != object {
			t.Errorf("got %s", got)
		}
	})
	t.Run("a long text is cut, and says by how much", func(t *testing.T) {
		got := squeezed(t, `{"id":"ISS-000001","description":"`+long+`","nextCursor":"k3f9w2"}`)
		text := got["description"].(string)
		shown, rest, ok := strings.Cut(text, "… (")
		if !ok || rest != fmt.Sprintf("%d more characters)", len(long)-len(shown)) || len(shown) < 9000 {
			t.Errorf("%d bytes stay, and it ends in %s", len(shown), rest)
		}
		if got["id"] != "ISS-000001" || got["nextCursor"] != "k3f9w2" || got["note"] != "Too large: 1 text cut. "+narrow {
			t.Errorf("id %v, cursor %v, note %v", got["id"], got["nextCursor"], got["note"])
		}
	})
	t.Run("of several texts the longest are cut", func(t *testing.T) {
		short := strings.Repeat("short", 100)
		if got := squeezed(t, `{"a":"`+long+`","b":"`+short+`"}`); got["b"] != short {
			t.Errorf("b is cut to %v", got["b"])
		}
	})
	t.Run("a list is cut at its end", func(t *testing.T) {
		var rows []string
		for i := range 1000 {
			rows = append(rows, fmt.Sprintf(`{"id":"ISS-%06d","title":"T"}`, i))
		}
		got := squeezed(t, `{"issues":[`+strings.Join(rows, ",")+`],"totalCount":1000,"note":"Own."}`)
		list := got["issues"].([]any)
		if list[0].(map[string]any)["id"] != "ISS-000000" || len(list) < 200 {
			t.Errorf("%d rows stay", len(list))
		}
		if want := fmt.Sprintf("Own. Too large: %d left out at the end of issues. %s", 1000-len(list), narrow); got["note"] != want {
			t.Errorf("the note is %v", got["note"])
		}
	})
	t.Run("so are the members of an object, and what is deep", func(t *testing.T) {
		var members []string
		for i := range 3000 {
			members = append(members, fmt.Sprintf(`"key%d":%d`, i, i))
		}
		got := squeezed(t, `{"id":"x","context":{`+strings.Join(members, ",")+`},"deep":`+strings.Repeat(`{"a":[`, 2000)+strings.Repeat(`]}`, 2000)+`}`)
		if got["id"] != "x" || !strings.Contains(got["note"].(string), "members left out") {
			t.Errorf("got %v", got)
		}
	})
	t.Run("what the schema requires, lists or gives a form stays", func(t *testing.T) {
		const schema = `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{
			"kind":{"type":"string","enum":["x"]},"must":{"type":"string"},"may":{"type":"string"}},"required":["must"]}}},"required":["rows"]}`
		kind := strings.Repeat("kind ", 30)
		object := `{"rows":[{"kind":"` + kind + `","must":"` + long + `","may":{` + strings.Repeat(`"k":"v",`, 2000) + `"k":1}}]}`
		got := answer.SqueezeObject(json.RawMessage(object), json.RawMessage(schema), narrow, func(o json.RawMessage) bool { return len(o) < 500 })
		var reply struct {
			Rows []map[string]any
		}
		if err := json.Unmarshal(got, &reply); err != nil || len(reply.Rows) != 1 {
			t.Fatalf("%v: %s", err, got)
		}
		if reply.Rows[0]["kind"] != kind && reply.Rows[0]["kind"] != nil || reply.Rows[0]["must"] == nil || len(got) >= 500 {
			t.Errorf("got %s", got)
		}
	})
	t.Run("what only looks like an id is cut", func(t *testing.T) {
		squeezed(t, `{"wranglerContext":{"sessionId":"`+long+`"}}`)
	})
}

func TestSqueezeText(t *testing.T) {
	squeezed := func(t *testing.T, text string) string {
		t.Helper()
		got := answer.Mark("").Squeeze(text, narrow, usual.Holds)
		if !usual.Holds(got) || !utf8.ValidString(got) {
			t.Fatalf("%d bytes: %.300s", len(got), got)
		}
		return got
	}
	t.Run("the first line and the last stay, whole lines go", func(t *testing.T) {
		got := strings.Split(squeezed(t, "Showing 500 of 700.\n"+strings.Repeat("a row\n", 500)+"Pass cursor 'k3f9w2' to see next page."), "\n")
		if len(got) != answer.DefaultLines || got[0] != "Showing 500 of 700." || got[len(got)-1] != "Pass cursor 'k3f9w2' to see next page." {
			t.Errorf("%d lines, from %q to %q", len(got), got[0], got[len(got)-1])
		}
		if want := "(Too large: 247 lines left out. " + narrow + ")"; got[len(got)-2] != want {
			t.Errorf("in place of the rest stands %q", got[len(got)-2])
		}
	})
	t.Run("a note stands after the sentence how to go on", func(t *testing.T) {
		got := squeezed(t, "One.\n"+strings.Repeat("a row\n", 500)+"Pass cursor 'k'.\nNote: something.")
		if !strings.HasSuffix(got, ")\nPass cursor 'k'.\nNote: something.") {
			t.Errorf("it ends in %q", got[len(got)-100:])
		}
	})
	t.Run("a giant line is cut, its neighbours are not", func(t *testing.T) {
		got := strings.Split(squeezed(t, "One.\nsmall\n"+strings.Repeat("gigantic ", 100000)+"\nsmaller\nThe end."), "\n")
		if len(got) != 6 || got[1] != "small" || got[3] != "smaller" || got[5] != "The end." || len(got[2]) < 9000 {
			t.Errorf("got %d lines: %.200q", len(got), got)
		}
	})
	t.Run("so is a text of one line, between characters", func(t *testing.T) {
		squeezed(t, strings.Repeat("漢字", 50000))
	})
}

// value draws JSON of any form, with long texts, lists and keys among it.
func value(depth int) *rapid.Generator[any] {
	text := rapid.OneOf(
		rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.IntRange(0, 3000), func(n int) any { return strings.Repeat("é<\"\n", n) }),
		rapid.Map(rapid.Int(), func(n int) any { return n }),
		rapid.Just[any](nil), rapid.Just[any](true),
	)
	if depth == 0 {
		return text
	}
	return rapid.OneOf(text,
		rapid.Map(rapid.SliceOfN(value(depth-1), 0, 60), func(list []any) any { return list }),
		rapid.Map(rapid.MapOfN(rapid.StringN(0, 20, 60), value(depth-1), 0, 60), func(m map[string]any) any { return m }),
	)
}

func TestSqueezeAlwaysFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.MapOfN(rapid.StringMatching(`[a-z]{3}x`), value(2), 0, 8).Draw(t, "members")
		members["id"], members["nextCursor"] = "ISS-000001", "k3f9w2"
		object, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		limit := rapid.IntRange(1500, 20000).Draw(t, "limit")
		fits := func(o json.RawMessage) bool { return len(o) <= limit }
		got := answer.SqueezeObject(object, nil, narrow, fits)
		if fits(object) {
			if !bytes.Equal(got, object) {
				t.Fatalf("what fits was touched")
			}
			return
		}
		var reply struct{ ID, NextCursor, Note string }
		if err := json.Unmarshal(got, &reply); err != nil {
			t.Fatalf("%v: %s", err, got)
		}
		if len(got) > limit {
			t.Fatalf("%d bytes of %d: %s", len(got), limit, got)
		}
		if reply.ID != "ISS-000001" || reply.NextCursor != "k3f9w2" || !strings.HasSuffix(reply.Note, narrow) {
			t.Fatalf("got %+v", reply)
		}
	})
}

func TestSqueezedTextAlwaysFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.OneOf(
			rapid.StringN(0, 80, 200),
			rapid.Map(rapid.IntRange(0, 5000), func(n int) string { return strings.Repeat("né", n) }),
		), 1, 400).Draw(t, "lines")
		text := strings.ToValidUTF8(strings.Join(lines, "\n"), "?")
		budget := answer.Defaults().Budget("", rapid.IntRange(200, 8000).Draw(t, "maxTokens"))
		got := answer.Mark("").Squeeze(text, narrow, budget.Holds)
		if !budget.Holds(got) || !utf8.ValidString(got) {
			t.Fatalf("%d bytes: %s", len(got), got)
		}
		if budget.Holds(text) && got != text {
			t.Fatalf("what fits was touched")
		}
	})
}
