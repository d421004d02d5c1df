package pdpp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/pdpp/pdpptest"
)

func TestLongTextsComeInWindows(t *testing.T) {
	f := open(t)
	id := pdpptest.ConnectionID + "/issues:issue-4"
	data, answer := f.must(t, "fetch", arguments{"id": id, "field": "body", "limit_chars": 60})
	window := data["window"].(map[string]any)
	if window["total_chars"] != 460.0 || window["complete"] != false || window["next_offset_chars"] != 60.0 {
		t.Errorf("%v", window)
	}
	if !strings.Contains(answer.Text(), "60 of 460 characters, from character 0 on.") {
		t.Error(answer.Text())
	}
	t.Run("joined windows are the text", func(t *testing.T) {
		text := ""
		call := next{"fetch", arguments{"id": id, "field": "body", "limit_chars": 100}}
		for call.tool != "" {
			data, answer := f.must(t, call.tool, call.args)
			text += data["window"].(map[string]any)["text"].(string)
			call = nextOf(t, answer.Text())
		}
		if want := strings.Repeat("Body of issue 4. The SQLite index overflow happens when the markdown front matter is empty. ", 5); text != want {
			t.Errorf("got %q", text)
		}
	})
	t.Run("around a word", func(t *testing.T) {
		data, _ := f.must(t, "fetch", arguments{"id": id, "field": "body", "q": "overflow", "before_chars": 10, "after_chars": 30})
		if got := data["window"].(map[string]any)["text"]; got != "ite index overflow happens when the markdown fro" {
			t.Errorf("%q", got)
		}
	})
	t.Run("4,096 characters unless asked otherwise, 16,384 at most", func(t *testing.T) {
		f.must(t, "fetch", arguments{"id": id, "field": "body"})
		if limit := f.rs.Last(t, pdpptest.FieldWindow).Query.Get("limit_chars"); limit != "4096" {
			t.Errorf("asked for %s", limit)
		}
		f.untouched(t, func() {
			f.refused(t, tools.CodeValidation, "fetch", arguments{"id": id, "field": "body", "limit_chars": 20000}, "16384")
		})
	})
	t.Run("selectors that do not go together are refused", func(t *testing.T) {
		f.untouched(t, func() {
			for _, more := range []arguments{{"q": "a", "offset_chars": 3}, {"before_chars": 3}, {"expand": "x"}, {"fields": "body"}} {
				more["id"], more["field"] = id, "body"
				f.refused(t, codeWindowSelector, "fetch", more)
			}
			f.refused(t, codeWindowSelector, "fetch", arguments{"id": id, "offset_chars": 3}, "field")
		})
	})
	t.Run("what is no text is a typed error", func(t *testing.T) {
		f.refused(t, "field_not_text", "fetch", arguments{"id": id, "field": "labels"}, "422")
	})
}

// longField serves a record notes:r1 whose body is a text.
func longField(t *testing.T, text string) *fixture {
	t.Helper()
	f := open(t)
	f.rs.AddStream("notes", map[string]any{"id": "r1", "body": text})
	return f
}

// Joined windows are the text, for any text and any size of windows.
func TestWindowsJoinToTheText(t *testing.T) {
	for name, text := range map[string]string{
		"words":       strings.Repeat("All work and no play makes Jack a dull boy. ", 900),
		"CJK":         strings.Repeat("記録の窓は小さい。", 3000),
		"controls":    strings.Repeat("\"\\\n\t\x01<&>", 3000),
		"emoji":       strings.Repeat("👩‍👩‍👧‍👦🇩🇪", 2000),
		"short":       "one",
		"empty lines": strings.Repeat("\n", 4000),
	} {
		t.Run(name, func(t *testing.T) {
			f := longField(t, text)
			joined, offset := "", 0
			for calls := 0; ; calls++ {
				data, answer := f.must(t, "fetch", arguments{"id": "notes:r1", "field": "body", "offset_chars": offset, "limit_chars": maxWindow})
				within(t, answer)
				var w struct {
					Window struct {
						Text string `json:"text"`
						Next *int   `json:"next_offset_chars"`
					} `json:"window"`
				}
				if err := json.Unmarshal(encode(data), &w); err != nil {
					t.Fatal(err)
				}
				joined += w.Window.Text
				if !strings.HasSuffix(answer.Text(), "\n"+w.Window.Text) {
					t.Fatal("the text channel has another window")
				}
				if w.Window.Next == nil {
					break
				}
				offset = *w.Window.Next
				if want := fmt.Sprintf(`Next: fetch {"id":"notes:r1","field":"body","offset_chars":%d,`, offset); !strings.Contains(answer.Text(), want) || calls > 200 {
					t.Fatalf("after %d calls, %q is not in %.200s", calls, want, answer.Text())
				}
			}
			if joined != text {
				t.Errorf("%d characters joined, want %d", len(joined), len(text))
			}
		})
	}
}

func TestAWindowAroundAMatchKeepsItWhenItShrinks(t *testing.T) {
	f := longField(t, strings.Repeat("記録の窓は小さい。", 2000)+"needle"+strings.Repeat("記録の窓は小さい。", 2000))
	for name, around := range map[string]arguments{
		"by default": {}, "wide": {"before_chars": maxAround, "after_chars": maxAround},
	} {
		t.Run(name, func(t *testing.T) {
			around["id"], around["field"], around["q"] = "notes:r1", "body", "needle"
			_, answer := f.must(t, "fetch", around)
			within(t, answer)
			if !strings.Contains(answer.Text(), "needle") {
				t.Errorf("the match is lost: %.200s", answer.Text())
			}
		})
	}
}

func TestWindowSelectors(t *testing.T) {
	f := open(t)
	for name, args := range map[string]arguments{
		"no field":                   {"offset_chars": 3},
		"no field for q":             {"q": "x"},
		"two ways":                   {"field": "body", "q": "x", "offset_chars": 3},
		"around nothing":             {"field": "body", "before_chars": 3},
		"a field and a projection":   {"field": "body", "fields": []string{"id"}},
		"a field and an expansion":   {"field": "body", "expand": []string{"x"}},
		"a field and a limit of one": {"field": "body", "expand_limit": map[string]any{"x": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			args["id"] = "issues:issue-4"
			f.untouched(t, func() { f.refused(t, codeWindowSelector, "fetch", args) })
		})
	}
	t.Run("more than a window", func(t *testing.T) {
		f.refused(t, tools.CodeValidation, "fetch", arguments{"id": "issues:issue-4", "field": "body", "limit_chars": 16385}, "maximum is 16384")
	})
	t.Run("the end of a text", func(t *testing.T) {
		_, answer := f.must(t, "fetch", arguments{"id": "issues:issue-4", "field": "body", "offset_chars": 400})
		if !strings.Contains(answer.Text(), "60 of 460 characters, from character 400 on. It ends here") {
			t.Errorf("got %s", answer.Text())
		}
	})
	t.Run("all of a text", func(t *testing.T) {
		_, answer := f.must(t, "fetch", arguments{"id": "issues:issue-4", "field": "body"})
		if !strings.Contains(answer.Text(), "460 of 460 characters, from character 0 on. That is all of it.") {
			t.Errorf("got %s", answer.Text())
		}
	})
}
