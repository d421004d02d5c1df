package orderedjson

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseKeepsOrderAndBytes(t *testing.T) {
	o, err := Parse([]byte(` {"b": 1.50, "a": {"y":1, "x":2}, "b": "<&>"} `))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := o.MarshalJSON(); err != nil || string(out) != `{"b":"<&>","a":{"y":1, "x":2}}` {
		t.Errorf("%s, %v", out, err)
	}
	if string(o.Get("a")) != `{"y":1, "x":2}` || o.Get("c") != nil {
		t.Errorf("%s %s", o.Get("a"), o.Get("c"))
	}
}

func TestPutAndDelete(t *testing.T) {
	o, err := Parse([]byte(`{"a":1,"b":2}`))
	if err != nil {
		t.Fatal(err)
	}
	o.Put("a", Text("<new>"))
	o.Put("c", json.RawMessage("3"))
	o.Delete("b")
	o.Delete("b")
	if out, err := o.MarshalJSON(); err != nil || string(out) != `{"a":"<new>","c":3}` {
		t.Errorf("%s, %v", out, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for data, say := range map[string]string{
		"": "is empty", "[1]": "is no JSON object", `{"a":`: "is no JSON", `{"a":1} x`: "goes on", `{"a":1`: "is no JSON", "{\"\xff\":1}": "is not UTF-8",
	} {
		if _, err := Parse([]byte(data)); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var o Object
		for name, value := range rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "members") {
			o.Put(string(bytes.ToValidUTF8([]byte(name), nil)), Text(value))
		}
		out, err := Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(out)
		if err != nil || len(again) != len(o) {
			t.Fatalf("%s: %v", out, err)
		}
		for i := range o {
			if again[i].Name != o[i].Name || !bytes.Equal(again[i].Value, o[i].Value) {
				t.Fatalf("%v is not %v", again[i], o[i])
			}
		}
	})
}
