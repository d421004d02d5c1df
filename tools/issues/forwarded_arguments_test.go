package issues

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// resembling are texts of users that look like ids and paths of a hub's documents.
var resembling = []string{"api:ISS-000001", "api/token", "web:3000", "web/.wrangler/issues/x.md", "api:1,web:2", " api:x", "api@mac:1", "", "x"}

// ofUser draws any JSON that a user may keep in a document.
func ofUser(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kinds := 4
		if depth == 0 {
			kinds = 2
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return rapid.SampledFrom(resembling).Draw(t, "text")
		case 1:
			return rapid.SampledFrom([]any{nil, true, 1.0, json.Number("12345678901234567890")}).Draw(t, "scalar")
		case 2:
			return rapid.SliceOfN(ofUser(depth-1), 0, 3).Draw(t, "list")
		}
		names := []string{"id", "path", "file", "ref", "key", "ids", "parent", "dependsOn", "value", "updates", "filters", "a"}
		return rapid.MapOfN(rapid.SampledFrom(names), ofUser(depth-1), 0, 4).Draw(t, "object")
	})
}

// A hub sends a call to the machine with the files as its user has made it: ids lose the name of
// the workspace, and nothing else is changed, whatever its members are called.
func TestAHubChangesNothingButIDs(t *testing.T) {
	outer, h := t, newHub(t)
	var sent map[string]json.RawMessage
	h.change = func(request string) string {
		var call struct{ Arguments map[string]json.RawMessage }
		if err := json.Unmarshal([]byte(request), &call); err != nil {
			t.Error(err)
		}
		sent = call.Arguments
		return "nothing runs there"
	}
	for _, tool := range Toolset(nil).Tools {
		if tool.ReadOnly {
			continue
		}
		var input struct{ Properties map[string]json.RawMessage }
		if err := json.Unmarshal(tool.Input, &input); err != nil {
			t.Fatal(err)
		}
		t.Run(tool.Name, rapid.MakeCheck(func(t *rapid.T) {
			arguments, want := map[string]any{"workspace": "api"}, map[string]any{}
			set := func(name string, given, forwarded any) { arguments[name], want[name] = given, forwarded }
			names := slices.Concat(tool.Takes)
			for name := range input.Properties {
				names = append(names, name)
			}
			for _, name := range names {
				switch within := idsWithin(tool.IDs, name); {
				case slices.Contains(tool.IDs, name):
					set(name, "api:ISS-000001, api/.wrangler/issues/x.md,7", "ISS-000001,.wrangler/issues/x.md,7")
				case within != nil:
					given, forwarded := map[string]any{}, map[string]any{}
					for _, extra := range []string{"title", "text", "note"} {
						given[extra] = ofUser(2).Draw(t, extra)
						forwarded[extra] = given[extra]
					}
					for _, id := range within {
						given[id], forwarded[id] = []any{"api:ISS-000001", "2"}, []any{"ISS-000001", "2"}
					}
					set(name, []any{given}, []any{forwarded})
				default:
					value := ofUser(3).Draw(t, name)
					set(name, value, value)
				}
			}
			sent = nil
			h.Call(outer, tool.Name, arguments) // whose answer is that nothing runs there
			if got, want := asWritten(t, sent), asWritten(t, want); !reflect.DeepEqual(got, want) {
				t.Fatalf("sent %v\nwant %v", got, want)
			}
		}))
	}
}

// idsWithin are the members of an argument that are ids.
func idsWithin(ids []string, name string) (members []string) {
	for _, id := range ids {
		if member, ok := strings.CutPrefix(id, name+"."); ok {
			members = append(members, member)
		}
	}
	return members
}

// asWritten returns a value as its JSON is read, with numbers as they are written.
func asWritten(t *rapid.T, value any) (read any) {
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	if err := d.Decode(&read); err != nil {
		t.Fatal(err)
	}
	return read
}
