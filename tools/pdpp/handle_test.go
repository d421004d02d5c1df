package pdpp

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/tools"
)

func handled(id, connection string) (handle, error) {
	args := tools.NewArgs(fetch(nil), encode(map[string]string{"id": id, "connection_id": connection}))
	h := readHandle(args)
	return h, args.Err()
}

func TestHandle(t *testing.T) {
	for _, test := range []struct {
		id, connection string
		want           handle
		path           string
	}{
		{"cin_1/issues:issue-3", "", handle{"cin_1", "issues", "issue-3"}, "/v1/streams/issues/records/issue-3"},
		{"issues:issue-3", "", handle{"", "issues", "issue-3"}, "/v1/streams/issues/records/issue-3"},
		{"issues:issue-3", "cin_1", handle{"cin_1", "issues", "issue-3"}, "/v1/streams/issues/records/issue-3"},
		{"cin_1/issues:issue-3", "cin_1", handle{"cin_1", "issues", "issue-3"}, "/v1/streams/issues/records/issue-3"},
		{"mail:<a:b@c>?#%", "", handle{"", "mail", "<a:b@c>?#%"}, "/v1/streams/mail/records/%3Ca:b@c%3E%3F%23%25"},
	} {
		h, err := handled(test.id, test.connection)
		if err != nil || h != test.want || h.path() != test.path {
			t.Errorf("%s: %+v, %s, %v", test.id, h, h.path(), err)
		}
	}
	for _, id := range []string{
		"", " ", "issue-3", "issues:", ":issue-3", "/issues:issue-3", "cin_1/issues", "../x:y", "cin_1/../x:y", "issues:..", "issues:.",
		"issues:a/b", `issues:a\b`, "cin_1/x/issues:a", "..:a", "issues:a\nb",
	} {
		if h, err := handled(id, ""); err == nil {
			t.Errorf("%q: %+v", id, h)
		}
	}
	t.Run("two connections are refused", func(t *testing.T) {
		_, err := handled("cin_1/issues:issue-3", "cin_2")
		if err == nil || !strings.Contains(err.Error(), string(codeConflictingConnection)) {
			t.Errorf("got %v", err)
		}
	})
}

func TestAHandleReadsAsItWasWritten(t *testing.T) {
	part := rapid.StringMatching(`[A-Za-z0-9_ <>@?#%=&+äß-]{1,12}`).Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
	rapid.Check(t, func(t *rapid.T) {
		want := handle{connection: part.Draw(t, "connection"), stream: part.Draw(t, "stream"), record: part.Draw(t, "record")}
		got, err := handled(want.String(), "")
		if err != nil || got != want {
			t.Fatalf("%s: %+v, %v", want, got, err)
		}
	})
}

// However an id is put, the path that is asked has one segment for it.
func FuzzHandle(f *testing.F) {
	for _, id := range []string{"cin_1/issues:issue-3", "issues:..", "../../x:y", "a:b%2f..", "a:\x00"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if !json.Valid(encode(id)) {
			t.Skip()
		}
		h, err := handled(id, "")
		if err == nil && strings.Count(h.path(), "/") != len("/v1/streams/x/records/x")-len("v1streamsxrecordsx") {
			t.Errorf("%q asks %s", id, h.path())
		}
	})
}
