package pdpp

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"issues-index/tools/pdpp/pdpptest"
)

func handled(id, connection string) (handle, error) {
	c := callOfTool("fetch", encode(map[string]string{"id": id, "connection_id": connection}))
	readName(c, "connection_id", false)
	h := c.readHandle()
	return h, c.args.Err()
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
		{"cin_1/labels:[Gmail]/All Mail", "", handle{"cin_1", "labels", "[Gmail]/All Mail"}, "/v1/streams/labels/records/%5BGmail%5D%2FAll%20Mail"},
		{`"labels:[Gmail]/All Mail"`, "", handle{"", "labels", "[Gmail]/All Mail"}, "/v1/streams/labels/records/%5BGmail%5D%2FAll%20Mail"},
		{`"labels:a\u200bb"`, "", handle{"", "labels", "a\u200bb"}, "/v1/streams/labels/records/a%E2%80%8Bb"},
		{"labels:a/../b..c", "", handle{"", "labels", "a/../b..c"}, "/v1/streams/labels/records/a%2F..%2Fb..c"},
		{`labels:a\b`, "", handle{"", "labels", `a\b`}, "/v1/streams/labels/records/a%5Cb"},
		{"labels:a\nb", "", handle{"", "labels", "a\nb"}, "/v1/streams/labels/records/a%0Ab"},
		{`urn%3Ax/labels:a`, "", handle{"urn:x", "labels", "a"}, "/v1/streams/labels/records/a"},
	} {
		h, err := handled(test.id, test.connection)
		if err != nil || h != test.want || h.path() != test.path {
			t.Errorf("%s: %+v, %s, %v", test.id, h, h.path(), err)
		}
	}
	for _, id := range []string{
		"", " ", "issue-3", "issues:", ":issue-3", "/issues:issue-3", "cin_1/issues", "../x:y", "cin_1/../x:y", "issues:..", "issues:.",
		"cin_1/x/issues:a", "..:a", `"issues:\u002e\u002e"`, "issues:a\x00b", "a%2Fb:c",
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

func TestHandleIsReadAsWritten(t *testing.T) {
	part := rapid.StringMatching("[A-Za-z0-9_ <>@?#%=&+äß:\n\t\u200b\u202e\u2028\U000e0041-]{1,12}")
	key := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(part, rapid.SampledFrom([]string{`\u0041`, `\u00`, `\`, "/", "..", `\ud83d`, "41"})), 1, 6).Draw(t, "parts"), "")
	}).Filter(func(s string) bool { return s != ".." })
	rapid.Check(t, func(t *rapid.T) {
		want := handle{connection: part.Draw(t, "connection"), stream: part.Draw(t, "stream"), record: key.Draw(t, "record")}
		id := want.String()
		got, err := handled(id, "")
		if err != nil || got != want {
			t.Fatalf("%s: %+v, %v", want, got, err)
		}
		if line := shown(id); strings.ContainsFunc(line, unseen) || strings.ContainsFunc(line, unicode.IsSpace) && line[0] != '"' {
			t.Fatalf("%q is neither one word nor a JSON string", line)
		}
		if got, err := handled(shown(id), ""); err != nil || got != want {
			t.Fatalf("%s: %+v, %v", shown(id), got, err)
		}
	})
}

// Any id takes one segment of the path.
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

func TestIDsOfResultsAreWhole(t *testing.T) {
	f := open(t)
	_, answer := f.must(t, "search", arguments{"q": "overflow", "limit": 1})
	if !strings.Contains(answer.Text(), "first_fetch_id="+pdpptest.ConnectionID+"/issues:issue-3") {
		t.Error(answer.Text())
	}
	f.must(t, "fetch", arguments{"id": pdpptest.ConnectionID + "/issues:issue-3"})
	if got := f.rs.Last(t, pdpptest.RecordOf); got.Path != "/v1/streams/issues/records/issue-3" || got.Query.Get("connection_id") != pdpptest.ConnectionID {
		t.Errorf("%v", got)
	}
	t.Run("an id without a connection is taken", func(t *testing.T) {
		f.must(t, "fetch", arguments{"id": "issues:issue-3"})
		if got := f.rs.Last(t, pdpptest.RecordOf); got.Query.Has("connection_id") {
			t.Errorf("%v", got.Query)
		}
		f.must(t, "fetch", arguments{"id": "issues:issue-3", "connection_id": pdpptest.ConnectionID})
		f.must(t, "fetch", arguments{"id": pdpptest.ConnectionID + "/issues:issue-3", "connection_id": pdpptest.ConnectionID})
	})
	t.Run("another connection beside it is refused before any call", func(t *testing.T) {
		f.untouched(t, func() {
			f.refused(t, codeConflictingConnection, "fetch", arguments{"id": pdpptest.ConnectionID + "/issues:issue-3", "connection_id": "cin_other"}, "cin_other", pdpptest.ConnectionID)
		})
	})
	t.Run("a record's own id may have a colon", func(t *testing.T) {
		f.refused(t, "not_found", "fetch", arguments{"id": "issues:a:b"})
		if got := f.rs.Last(t, pdpptest.RecordOf).Path; got != "/v1/streams/issues/records/a:b" && got != "/v1/streams/issues/records/a%3Ab" {
			t.Error(got)
		}
	})
}
