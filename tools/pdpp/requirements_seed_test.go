package pdpp

import (
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/pdpp/pdpptest"
	"issues-index/tools/toolstest"
)

// The requirements of the change that the adapter was asked for, one test each and
// named after it. Those about a running server are in cmd/issues-index.

func TestSeedInstructionsCarrySharedGuidance(t *testing.T) {
	instructions := tools.Instructions(Toolset(nil))
	for topic, words := range map[string]string{
		"grant-scoped access":     `(?i)grant`,
		"schema first":            `\bschema\b|list_streams`,
		"telling sources apart":   `connection_id`,
		"typed object filters":    `(?i)filter`,
		"subscription preflight":  `discover_event_subscription_capabilities`,
		"pages and narrowing":     `(?i)cursor`,
		"counting before reading": `aggregate|search`,
	} {
		if !regexp.MustCompile(words).MatchString(instructions) {
			t.Errorf("the instructions say nothing about %s", topic)
		}
	}
	t.Run("the first 512 characters are enough to work with", func(t *testing.T) {
		for _, words := range []string{`\bschema\b|list_streams`, `connection_id`, `(?i)typed|filter`, `(?i)limit|page|narrow|cursor`} {
			if !regexp.MustCompile(words).MatchString(lead(instructions)) {
				t.Errorf("%q has nothing like %s", lead(instructions), words)
			}
		}
	})
	t.Run("no owner's token is asked for", func(t *testing.T) {
		if asked := ownerWords.FindString(instructions); asked != "" {
			t.Errorf("the instructions speak of %q", asked)
		}
	})
}

var ownerWords = regexp.MustCompile(`(?i)owner|control.?plane|password|secret|credential|api.?key|bearer|\btoken`)

func TestSeedDescriptionsDoNotRepeatEachOther(t *testing.T) {
	t.Run("the same tools are served", func(t *testing.T) {
		list := definitions(t)
		for _, name := range toolNames {
			if _, ok := list[name]; !ok {
				t.Errorf("%s is not served", name)
			}
		}
	})
	t.Run("recovery guidance on connection_id stands in no definition", func(t *testing.T) {
		for name, d := range definitions(t) {
			if found := regexp.MustCompile(`(?i)\b409\b|available_connections|reconnect|ambiguous`).FindString(prose(d)); found != "" {
				t.Errorf("%s says %q", name, found)
			}
		}
	})
	t.Run("signing and delivery stand in the discovery tool alone", func(t *testing.T) {
		guidance := regexp.MustCompile(`(?i)standard webhooks|cloudevents|signature|signing|retr(y|ies)|handshake|webhook-`)
		for name, d := range definitions(t) {
			if found := guidance.FindString(prose(d)); (found != "") != (name == "discover_event_subscription_capabilities") {
				t.Errorf("%s: %q", name, found)
			}
		}
	})
}

// effects are what each tool does, as its description has to say.
var effects = map[string]struct{ verb, endpoint string }{
	"schema":        {"Read", "GET /v1/schema"},
	"list_streams":  {"List", "GET /v1/streams"},
	"query_records": {"Read", "GET /v1/streams/{stream}/records"},
	"aggregate":     {"Count", "GET /v1/streams/{stream}/aggregate"},
	"search":        {"Search", "GET /v1/search"},
	"fetch":         {"Read", "GET /v1/streams/{stream}/records/{record_id}"},
	"fetch_blob":    {"Read", "GET /v1/blobs/{blob_id}"},
	"discover_event_subscription_capabilities": {"Tell", "GET /.well-known/oauth-protected-resource"},
	"create_event_subscription":                {"Create", "POST /v1/event-subscriptions"},
	"list_event_subscriptions":                 {"List", "GET /v1/event-subscriptions"},
	"get_event_subscription":                   {"Read", "GET /v1/event-subscriptions/{id}"},
	"update_event_subscription":                {"Disable or enable", "PATCH /v1/event-subscriptions/{id}"},
	"delete_event_subscription":                {"Delete", "DELETE /v1/event-subscriptions/{id}"},
	"send_test_event":                          {"Send", "POST /v1/event-subscriptions/{id}/test-event"},
}

func TestSeedDescriptionsRemainRoutable(t *testing.T) {
	for name, d := range definitions(t) {
		effect := effects[name]
		if !strings.HasPrefix(d.Description, effect.verb+" ") {
			t.Errorf("%s does not begin with what it does: %s", name, d.Description)
		}
		if !strings.Contains(d.Description, effect.endpoint) {
			t.Errorf("%s does not name %s: %s", name, effect.endpoint, d.Description)
		}
		says := regexp.MustCompile(`Read-only\.|Writes[.,:]`).FindString(d.Description)
		if (says == "Read-only.") != *d.Annotations["readOnlyHint"] || says == "" {
			t.Errorf("%s says %q: %s", name, says, d.Description)
		}
		if !*d.Annotations["readOnlyHint"] && !strings.Contains(d.Description, "discover_event_subscription_capabilities") {
			t.Errorf("%s does not point to the discovery tool: %s", name, d.Description)
		}
	}
}

// footprint is what the definitions of the toolset may take in tools/list; maximum
// is the specification's, and the first figures are the measured ones, rounded up, so
// that growth is seen.
var footprint = map[tools.Output]int{tools.OutputBoth: 12_800, tools.OutputText: 9_200}

const maximumFootprint = 20_000

func TestSeedFootprintIsMeasured(t *testing.T) {
	for output, budget := range footprint {
		size := toolstest.Footprint(t, output, Toolset(nil))
		t.Logf("output %s: %d bytes of %d", output, size, budget)
		if size > budget || size >= maximumFootprint {
			t.Errorf("output %s: the definitions have %d bytes, over %d", output, size, budget)
		}
	}
	if Toolset(nil).Guide == "" {
		t.Error("the toolset adds nothing to the instructions")
	}
	toolstest.NoDuplicateSentences(t, Toolset(nil))
	t.Run("long guidance that comes back is seen", func(t *testing.T) {
		grown := Toolset(nil)
		const planted = " When several connections have the stream, the error lists available_connections: call again with one of them."
		for i := range grown.Tools[:3] {
			grown.Tools[i].Description += planted
		}
		if found := toolstest.DuplicateSentences(toolstest.List(t, tools.OutputBoth, grown)); len(found) == 0 {
			t.Error("the planted sentence is not seen")
		}
	})
}

func TestSeedReadToolsDoNotClaimHiddenData(t *testing.T) {
	hidden := regexp.MustCompile(`(?i)hidden|not (shown|visible|in (the )?context)|machine envelope|only for (programs|machines)|invisible`)
	list := definitions(t)
	for name, d := range list {
		if claim := hidden.FindString(prose(d)); claim != "" {
			t.Errorf("%s claims %q", name, claim)
		}
	}
	if claim := hidden.FindString(tools.Instructions(Toolset(nil))); claim != "" {
		t.Errorf("the instructions claim %q", claim)
	}
	narrowing := regexp.MustCompile(`(?i)page|cursor|narrow|fields|aggregate|search|range|scope|stream`)
	for _, name := range readingTools {
		text := list[name].Description
		if !strings.Contains(strings.ToLower(text), "structured output") {
			t.Errorf("%s does not speak of structured output: %s", name, text)
		}
		if !narrowing.MatchString(text) {
			t.Errorf("%s does not tell how to read less: %s", name, text)
		}
	}
}

// Whether hosts cut records off in spite of short texts is for another change, with
// switches of its own; this one has none of them.
func TestSeedFullResultRedesignIsNotPartOfThis(t *testing.T) {
	list := definitions(t)
	for _, name := range readingTools {
		if name != "schema" && property(t, list[name].InputSchema, "detail") != nil {
			t.Errorf("%s has a switch for its detail", name)
		}
	}
}

func TestSeedExpandIsForwardedWhereItIsAdvertised(t *testing.T) {
	f := open(t, eraA)
	data, _ := f.must(t, "query_records", arguments{"stream": "issues", "limit": 1, "expand": []string{"comments_list"}, "expand_limit": arguments{"comments_list": 2}})
	asked := f.rs.Last(t, pdpptest.Records).Query
	if asked.Get("expand") != "comments_list" || asked.Get("expand_limit[comments_list]") != "2" {
		t.Errorf("asked with %v", asked)
	}
	t.Run("the answer reaches the client unchanged", func(t *testing.T) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.rs.URL+"/v1/streams/issues/records?"+asked.Encode(), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+pdpptest.ClientToken)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		want := make(map[string]any)
		if err := json.NewDecoder(response.Body).Decode(&want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(data, want) {
			t.Errorf("got %v, the server says %v", data, want)
		}
	})
}

func TestSeedExpandIsRefusedWhereNoneIsAdvertised(t *testing.T) {
	for name, call := range map[string]struct {
		tool string
		args arguments
	}{
		"query_records": {"query_records", arguments{"stream": "issue_comments", "expand": []string{"issue"}}},
		"fetch":         {"fetch", arguments{"id": pdpptest.ConnectionID + "/issue_comments:c-1-0", "expand": []string{"issue"}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, eraA)
			f.refused(t, codeInvalidExpand, call.tool, call.args, "issue_comments", "GET /v1/schema", "expand_capabilities")
			if reads := f.recordReads(); reads != 0 {
				t.Errorf("%d requests reached the records", reads)
			}
		})
	}
}

func TestSeedSchemaAdvertisementMatchesEnforcement(t *testing.T) {
	f := open(t, eraA)
	call := arguments{"stream": "issues", "limit": 1, "expand": []string{"comments_list"}}
	f.must(t, "query_records", call)
	f.rs.SetExpand(pdpptest.ConnectionID, false)
	f.refused(t, codeInvalidExpand, "query_records", call, "issues")
	if reads := f.recordReads(); reads != 1 {
		t.Errorf("%d requests reached the records, the first call's is one", reads)
	}
	f.rs.SetExpand(pdpptest.ConnectionID, true)
	f.must(t, "query_records", call)
	if reads := f.recordReads(); reads != 2 {
		t.Errorf("%d requests reached the records, of two calls", reads)
	}
}
