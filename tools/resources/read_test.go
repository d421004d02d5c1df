package resources_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/index/workspaces"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// request sends a request without a connection and returns the answer.
func (d *desk) request(method string, params any, into any) (failed *failure) {
	d.Helper()
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		d.Fatal(err)
	}
	reply, err := json.Marshal(toolstest.Send(context.Background(), d.server, raw))
	if err != nil {
		d.Fatal(err)
	}
	var envelope struct {
		Result json.RawMessage
		Error  *failure
	}
	if err := json.Unmarshal(reply, &envelope); err != nil {
		d.Fatal(err)
	}
	if envelope.Error == nil && into != nil {
		if err := json.Unmarshal(envelope.Result, into); err != nil {
			d.Fatal(err)
		}
	}
	return envelope.Error
}

// A failure is the error of a protocol's answer.
type failure struct {
	Code    int
	Message string
}

// read returns the text of a resource.
func (d *desk) read(uri string) (string, *failure) {
	d.Helper()
	var result struct {
		Contents []struct{ URI, MimeType, Text string }
	}
	if failed := d.request("resources/read", map[string]any{"uri": uri}, &result); failed != nil {
		return "", failed
	}
	if len(result.Contents) != 1 || result.Contents[0].URI != uri || result.Contents[0].MimeType != "text/markdown" {
		d.Fatalf("%s: %+v", uri, result)
	}
	return result.Contents[0].Text, nil
}

// under changes the settings of a desk's workspaces.
func under(s *answer.Settings) func(*tools.Config) {
	return func(c *tools.Config) {
		bind := c.Workspaces
		c.Workspaces = func(ctx context.Context, ask workspaces.Ask) (tools.WorkspaceBinding, error) {
			b, err := bind(ctx, ask)
			b.Settings = s
			return b, err
		}
	}
}

// body is a text of so many sections.
func body(sections int) string {
	var b strings.Builder
	for i := range sections {
		fmt.Fprintf(&b, "## Part %d\n\nSentence one. Sentence two, which is \"quoted\".\n\n- item\n- item\n\n", i)
	}
	return b.String()
}

var readOn = regexp.MustCompile(`issues_get (\{id: '[^']*', cursor: '[^']*'\})`)

// Whatever the limits, a text keeps to them, begins as its file does, and reading on as it
// says gives all of it.
func TestLongDocumentsSayHowToReadOn(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		s := answer.Defaults()
		s.Bytes, s.Threshold, s.Lines, s.ExplicitBytes = 2000+random.IntN(20_000), 500+random.IntN(6000), 60+random.IntN(400), true
		s.ChunkTokens = min(s.Threshold, s.ChunkTokens)
		d := newDesk(t, under(s))
		whole := body(1 + random.IntN(400))
		d.document("ISS-000007", "Long", "open", whole)
		data, err := os.ReadFile(d.file("ISS-000007"))
		if err != nil {
			t.Fatal(err)
		}
		text, failed := d.read("issues://here/ISS-000007")
		if failed != nil {
			t.Fatal(failed)
		}
		if b := s.Budget("", 0); !b.Holds(text) {
			t.Fatalf("%d bytes and %d lines under %+v", len(text), strings.Count(text, "\n"), s)
		}
		if text == string(data) {
			continue
		}
		call := readOn.FindStringSubmatch(text)
		if call == nil || !strings.Contains(text, "One section: issues://here/ISS-000007/section/{heading}.") {
			t.Fatalf("how to read on is not said: …%s", text[max(0, len(text)-300):])
		}
		shown, _, _ := strings.Cut(text, "\n\n[This is as far as")
		if !strings.HasPrefix(string(data), shown) || len(shown) < len(data)-len(whole) {
			t.Fatalf("the text is not the beginning of the file:\n%s", shown)
		}
		var args map[string]any
		if err := json.Unmarshal([]byte(regexp.MustCompile(`(\w+):`).ReplaceAllString(strings.ReplaceAll(call[1], "'", `"`), `"$1":`)), &args); err != nil {
			t.Fatal(err)
		}
		var result struct {
			Content []struct{ Text string }
			IsError bool
		}
		if failed := d.request("tools/call", map[string]any{"name": "issues_get", "arguments": args}, &result); failed != nil || result.IsError {
			t.Fatal(failed, result)
		}
		line := strings.TrimSpace(strings.TrimPrefix(string(data), shown))
		if first, _, _ := strings.Cut(line, "\n"); !strings.Contains(result.Content[0].Text, first) {
			t.Errorf("reading on does not begin with %q:\n%s", first, result.Content[0].Text)
		}
	}
}

func TestASectionIsReadByItsHeading(t *testing.T) {
	d := newDesk(t, nil)
	huge := strings.Repeat("x", 1<<20)
	d.document("ISS-000007", "Many", "open", "# Top\n\n## Über uns & mehr?\n\nText.\n\n## "+huge+"\n\nEnd.\n")
	for heading, want := range map[string]string{
		"Über uns & mehr?": "## Über uns & mehr?\n\nText.\n\n",
		"Top > Über uns":   "",
		"Über uns":         "",
		"ÜBER UNS & MEHR?": "## Über uns & mehr?\n\nText.\n\n",
	} {
		text, failed := d.read("issues://here/ISS-000007/section/" + url.PathEscape(heading))
		if want == "" && (failed == nil || failed.Code != -32002) || text != want {
			t.Errorf("%s: %q, %+v", heading, text, failed)
		}
	}
	// A heading of a megabyte costs neither room nor is it lost.
	var completion struct{ Completion struct{ Values []string } }
	d.request("completion/complete", map[string]any{
		"ref":      map[string]any{"type": "ref/resource", "uri": "issues://{workspace}/{id}/section/{heading}"},
		"argument": map[string]any{"name": "heading", "value": ""}, "context": map[string]any{"arguments": map[string]any{"id": "ISS-000007"}},
	}, &completion)
	for _, value := range completion.Completion.Values {
		if len(value) > 500 {
			t.Errorf("a value of %d bytes", len(value))
		}
		if _, failed := d.read("issues://here/ISS-000007/section/" + url.PathEscape(value)); failed != nil {
			t.Errorf("%q is completed and cannot be read: %+v", value, failed)
		}
	}
	if len(completion.Completion.Values) < 2 {
		t.Errorf("the headings are %q", completion.Completion.Values)
	}
	for _, uri := range []string{"issues://here/ISS-000007/section/" + huge, "issues://here/" + huge, "issues://" + strings.Repeat("a/", 1<<20)} {
		if _, failed := d.read(uri); failed == nil || failed.Code != -32602 || len(failed.Message) > 1000 {
			t.Errorf("a URI of %d bytes: %+v", len(uri), failed)
		}
	}
}

// What the list names and what is completed can be read, and there is little of it.
func TestListsAreShortAndTheirEntriesCanBeRead(t *testing.T) {
	d := newDesk(t, nil)
	for i := range 150 {
		d.document(fmt.Sprintf("ISS-001%03d", i), strings.Repeat("long title ", 1+i%40), []string{"open", "closed", "in_progress"}[i%3], "")
	}
	d.document("a%2Fb", "Percent", "open", "")
	d.document("ISS-000500-one", "Same", "open", "")
	var list struct {
		Resources []struct{ URI, Name, Title string }
	}
	var raw json.RawMessage
	if failed := d.request("resources/list", map[string]any{}, &raw); failed != nil || json.Unmarshal(raw, &list) != nil {
		t.Fatal(failed)
	}
	if len(list.Resources) != 20 || len(raw) > answer.DefaultBytes {
		t.Errorf("%d entries in %d bytes", len(list.Resources), len(raw))
	}
	long := newDesk(t, nil)
	for i := range 30 {
		long.document(fmt.Sprintf("%s%02d", strings.Repeat("字", 75), i), strings.Repeat("題", 200), "open", "")
	}
	if failed := long.request("resources/list", map[string]any{}, &raw); failed != nil || len(raw) > answer.DefaultBytes {
		t.Errorf("a list of long names has %d bytes, %+v", len(raw), failed)
	}
	for _, r := range list.Resources {
		if text, failed := d.read(r.URI); failed != nil || strings.Contains(text, "status: closed") {
			t.Errorf("%s: %+v", r.URI, failed)
		}
	}
	complete := func(begun string) ([]string, bool) {
		var completion struct {
			Completion struct {
				Values  []string
				HasMore bool
			}
		}
		d.request("completion/complete", map[string]any{
			"ref":      map[string]any{"type": "ref/resource", "uri": "issues://{workspace}/{id}"},
			"argument": map[string]any{"name": "id", "value": begun},
		}, &completion)
		return completion.Completion.Values, completion.Completion.HasMore
	}
	values, more := complete("")
	if len(values) != tools.MaxChoices || !more {
		t.Errorf("%d values, more %v", len(values), more)
	}
	if values, more = complete("a%"); !slices.Equal(values, []string{"a%2Fb"}) || more {
		t.Errorf("the values are %q, more %v", values, more)
	}
	if _, failed := d.read("issues://here/" + url.PathEscape("a%2Fb")); failed != nil {
		t.Errorf("an id with a percent sign: %+v", failed)
	}
}

// FuzzURIs holds that no URI makes the server panic or answer with anything but a document of
// the workspace or an error that a client expects.
func FuzzURIs(f *testing.F) {
	for _, seed := range []string{
		"issues://here/ISS-000001", "issues://here/ISS-000001/section/Goals", "issues://here/..%2f..%2fetc", "issues://../x",
		"issues://here/%2e%2e", "issues://here/ISS-000001/section/%E4", "issues://here/\u202e", "issues:/here/x", "ISSUES://here/ISS-000001", "issues://here/.wrangler", "issues://other/1",
	} {
		f.Add(seed)
	}
	d := newDesk(f, nil)
	f.Fuzz(func(t *testing.T, uri string) {
		part := *d
		part.TB = t
		text, failed := part.read(strings.ToValidUTF8(uri, "?"))
		switch {
		case failed == nil && !strings.HasPrefix(text, "---\nid: ") && !strings.HasPrefix(text, "## "):
			t.Errorf("%q gives %q", uri, text)
		case failed != nil && !slices.Contains([]int{-32002, -32602}, failed.Code):
			t.Errorf("%q: %+v", uri, failed)
		case failed != nil && strings.Contains(failed.Message, d.root):
			t.Errorf("%q tells of %s", uri, failed.Message)
		}
	})
}
