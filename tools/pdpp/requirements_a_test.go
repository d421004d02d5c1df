package pdpp

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/pdpp/pdpptest"
	"issues-index/tools/toolstest"
)

// What a small and honest tool surface holds to, by the numbers of the study that the
// adapter was built from. A1, A4, A20 and A21 are about a running server or its
// documentation: cmd/issues-index has them.

func TestA2TheLeadOfTheInstructionsStandsAlone(t *testing.T) {
	instructions := tools.Instructions(Toolset(nil))
	toolstest.CheckInstructions(t, instructions, "schema", "list_streams", "connection_id", "typed", "cursor", "limit", "fields")
	if end := lead(instructions); end == "" || len(end) > tools.MaxLead || !strings.HasSuffix(end, ".") {
		t.Errorf("the lead is %q", end)
	}
}

func TestA3InstructionsNeverAskForCredentials(t *testing.T) {
	for _, instructions := range []string{tools.Instructions(Toolset(nil)), Toolset(nil).Lead, Toolset(nil).ShortLead, Toolset(nil).Guide, Toolset(nil).ShortGuide} {
		if asked := ownerWords.FindString(instructions); asked != "" {
			t.Errorf("%q speaks of %q", instructions, asked)
		}
	}
	if ownerWords.FindString("Pass an owner token.") == "" {
		t.Error("a planted demand is not seen")
	}
}

func TestA5NoProseIsRepeated(t *testing.T) {
	toolstest.NoDuplicateSentences(t, Toolset(nil))
	const most = 75 // characters that two descriptions may share
	list := definitions(t)
	longest := longestShared(list)
	if len(longest) > most {
		t.Errorf("several tools say %q", longest)
	}
	t.Run("a planted duplicate is seen", func(t *testing.T) {
		planted := definitions(t)
		const sentence = "Connections that share a stream are told apart by what schema shows of them."
		for _, name := range []string{"schema", "search"} {
			d := planted[name]
			d.Description += " " + sentence
			planted[name] = d
		}
		if found := longestShared(planted); !strings.Contains(found, sentence) {
			t.Errorf("found %q", found)
		}
	})
}

// longestShared is the longest text that two definitions have in common in what
// models read of them.
func longestShared(list map[string]toolstest.Definition) (longest string) {
	var texts []string
	for _, name := range toolNames {
		texts = append(texts, prose(list[name]))
	}
	for i, a := range texts {
		for _, b := range texts[i+1:] {
			for from := 0; from+len(longest) < len(a); from++ {
				for to := from + len(longest) + 1; to <= len(a) && strings.Contains(b, a[from:to]); to++ {
					longest = a[from:to]
				}
			}
		}
	}
	return longest
}

func TestA6EachDescriptionTellsItsActionAndEffect(t *testing.T) {
	toolstest.CheckDefinitions(t, Toolset(nil))
	for name, d := range definitions(t) {
		first, _, _ := strings.Cut(d.Description, " ")
		if !regexp.MustCompile(`^[A-Z][a-z]+$`).MatchString(first) {
			t.Errorf("%s begins with %q", name, first)
		}
		if found := regexp.MustCompile(`(GET|POST|PATCH|DELETE) /`).FindString(d.Description); found == "" {
			t.Errorf("%s names no operation: %s", name, d.Description)
		}
	}
}

func TestA7OnlyTheDiscoveryToolExplainsDelivery(t *testing.T) {
	f := open(t)
	_, answer := f.must(t, "discover_event_subscription_capabilities", nil)
	for _, fact := range []string{"standard-webhooks", "HMAC-SHA256", "webhook-signature", "30,120,600,3600,21600,86400", "cloudevents", "https_required=true", "pdpp.records.changed", "changes_since", "callback_url_max_bytes=2048"} {
		if !strings.Contains(answer.Text(), fact) {
			t.Errorf("the answer does not say %s:\n%s", fact, answer.Text())
		}
	}
	if f.rs.Count() != f.rs.Count(pdpptest.WellKnown) {
		t.Error("more was asked than the metadata")
	}
	if sent := f.rs.Last(t, pdpptest.WellKnown).Header.Get("Authorization"); sent != "" {
		t.Error("the metadata is for everyone, yet a token was sent")
	}
	f.rs.WithoutEvents()
	_, answer = f.must(t, "discover_event_subscription_capabilities", nil)
	if !strings.Contains(string(answer.Structured), `"supported":false`) || !strings.Contains(answer.Text(), "poll query_records") {
		t.Errorf("%s\n%s", answer.Text(), answer.Structured)
	}
}

func TestA8TheNamesAreFrozen(t *testing.T) {
	var names []string
	for _, d := range toolstest.List(t, tools.OutputBoth, Toolset(nil)) {
		names = append(names, d.Name)
	}
	if !slices.Equal(names, toolNames) {
		t.Errorf("tools are %v, want %v", names, toolNames)
	}
	toolstest.Golden(t, "testdata/definitions", Toolset(nil))
}

func TestA9AllFourHintsAreExplicitAndTrue(t *testing.T) {
	mutating := map[string]struct{ destructive, idempotent bool }{
		"create_event_subscription": {}, "update_event_subscription": {}, "send_test_event": {},
		"delete_event_subscription": {destructive: true, idempotent: true},
	}
	for name, d := range definitions(t) {
		want, writes := mutating[name]
		for hint, value := range map[string]bool{
			"readOnlyHint": !writes, "destructiveHint": want.destructive, "idempotentHint": !writes || want.idempotent, "openWorldHint": false,
		} {
			if got := d.Annotations[hint]; got == nil || *got != value {
				t.Errorf("%s: %s is not %t", name, hint, value)
			}
		}
	}
}

func TestA10NothingIsSaidToBeHidden(t *testing.T) {
	f := open(t)
	f.rs.AddHostile()
	hidden := regexp.MustCompile(`(?i)structured[^.]*(hidden|not (shown|visible|in))|hidden from|machine envelope`)
	texts := []string{tools.Instructions(Toolset(nil))}
	for _, d := range definitions(t) {
		texts = append(texts, prose(d))
	}
	for tool, args := range readCalls {
		_, answer := f.must(t, tool, args)
		texts = append(texts, answer.Text())
	}
	for _, text := range texts {
		if claim := hidden.FindString(text); claim != "" {
			t.Errorf("%q is claimed in %q", claim, text)
		}
	}
}

// readCalls are a call of each reading tool that works in either era.
var readCalls = map[string]arguments{
	"schema":        {"stream": "issues"},
	"list_streams":  {},
	"query_records": {"stream": "issues", "limit": 3},
	"aggregate":     {"stream": "issues", "metric": "count", "group_by": "state"},
	"search":        {"q": "overflow", "limit": 3},
	"fetch":         {"id": pdpptest.ConnectionID + "/issues:issue-3"},
	"fetch_blob":    {"blob_id": "blob_text"},
}

func TestA17ErrorsAreNotHeldToTheOutputSchema(t *testing.T) {
	f := open(t)
	schemas := definitions(t)
	f.rs.Put(pdpptest.Schema, pdpptest.Override{Status: http.StatusForbidden, Body: `{"error":{"type":"permission_error","code":"grant_expired","message":"The grant has ended"}}`})
	for _, call := range failingCalls() {
		answer := f.Call(t, call.tool, call.args)
		if !answer.IsError || answer.Meta.Error == nil {
			t.Fatalf("%s %v: %s", call.tool, call.args, answer.Text())
		}
		// The rule of the official TypeScript client, which reads only this much of it.
		if answer.Structured != nil {
			t.Errorf("%s: an error with structured content, which %s has to allow", call.tool, schemas[call.tool].OutputSchema)
		}
	}
}

// failingCalls is a call of each tool that the server or we refuse.
func failingCalls() []next {
	return []next{
		{"schema", arguments{}},
		{"list_streams", arguments{"connection_id": "cin_nope"}},
		{"query_records", arguments{"stream": "nope"}},
		{"query_records", arguments{"stream": "issues", "filter": "x"}},
		{"aggregate", arguments{"stream": "issues", "metric": "sum", "field": "number"}},
		{"search", arguments{"q": "a", "cursor": "garbage"}},
		{"fetch", arguments{"id": "issues:issue-999"}},
		{"fetch_blob", arguments{"blob_id": "blob_x"}},
		{"discover_event_subscription_capabilities", arguments{"x": 1}},
		{"create_event_subscription", arguments{"callback_url": "http://example.org/"}},
		{"list_event_subscriptions", arguments{"x": 1}},
		{"get_event_subscription", arguments{"subscription_id": "sub_none"}},
		{"update_event_subscription", arguments{"subscription_id": "sub_none", "enabled": true}},
		{"delete_event_subscription", arguments{"subscription_id": "sub_none"}},
		{"send_test_event", arguments{"subscription_id": "sub_none"}},
	}
}
