package pdpp

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// toolNames are those of the adapter that this one follows, as they were when all
// of them were served. A client knows them by heart: renaming one needs a note in
// the changelog and the README.
var toolNames = []string{
	"schema", "list_streams", "query_records", "aggregate", "search", "fetch",
	"discover_event_subscription_capabilities", "create_event_subscription", "list_event_subscriptions",
	"get_event_subscription", "update_event_subscription", "delete_event_subscription", "send_test_event",
	"fetch_blob",
}

// readingTools are the tools that read records or what describes them.
var readingTools = []string{"schema", "list_streams", "query_records", "aggregate", "search", "fetch", "fetch_blob"}

// definitions are those of the toolset.
func definitions(t *testing.T) map[string]toolstest.Definition {
	t.Helper()
	list := make(map[string]toolstest.Definition)
	for _, d := range toolstest.List(t, tools.OutputBoth, Toolset(nil)) {
		list[d.Name] = d
	}
	return list
}

// prose is every text of a definition that a model reads: its description and those
// inside its schemas.
func prose(d toolstest.Definition) string {
	texts := []string{d.Description}
	for _, m := range regexp.MustCompile(`"description":("(?:[^"\\]|\\.)*")`).FindAllSubmatch(append(append(json.RawMessage{}, d.InputSchema...), d.OutputSchema...), -1) {
		text, _ := textOf(m[1])
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n")
}

// lead is the part of instructions that every host shows: the whole sentences among
// the first 512 characters.
func lead(instructions string) string {
	cut := instructions[:min(len(instructions), tools.MaxLead)]
	ends := regexp.MustCompile(`[.!?](\s|$)`).FindAllStringIndex(cut, -1)
	if len(ends) == 0 {
		return ""
	}
	return cut[:ends[len(ends)-1][0]+1]
}

// property returns a property of a JSON object schema.
func property(t *testing.T, schema json.RawMessage, name string) map[string]any {
	t.Helper()
	var object struct {
		Properties map[string]map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(schema, &object); err != nil {
		t.Fatal(err)
	}
	return object.Properties[name]
}

func TestLeadOfTheInstructionsStandsAlone(t *testing.T) {
	instructions := tools.Instructions(Toolset(nil))
	toolstest.CheckInstructions(t, instructions, "schema", "list_streams", "connection_id", "typed", "cursor", "limit", "fields")
	if end := lead(instructions); end == "" || len(end) > tools.MaxLead || !strings.HasSuffix(end, ".") {
		t.Errorf("the lead is %q", end)
	}
}

func TestInstructionsNeverAskForCredentials(t *testing.T) {
	for _, instructions := range []string{tools.Instructions(Toolset(nil)), Toolset(nil).Lead, Toolset(nil).ShortLead, Toolset(nil).Guide, Toolset(nil).ShortGuide} {
		if asked := ownerWords.FindString(instructions); asked != "" {
			t.Errorf("%q speaks of %q", instructions, asked)
		}
	}
	if ownerWords.FindString("Pass an owner token.") == "" {
		t.Error("a planted demand is not seen")
	}
}

func TestNoProseIsRepeated(t *testing.T) {
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

func TestDescriptionsTellActionAndOperation(t *testing.T) {
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

func TestDefinitions(t *testing.T) {
	toolstest.Golden(t, "testdata/definitions", Toolset(nil))
}

func TestHintsAreExplicitAndTrue(t *testing.T) {
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

func TestNothingIsSaidToBeHidden(t *testing.T) {
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

func TestInstructionsCarrySharedGuidance(t *testing.T) {
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

func TestGuidanceStandsInOneDefinition(t *testing.T) {
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

func TestDescriptionsTellEffectAndNextTool(t *testing.T) {
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

func TestDefinitionsKeepToTheirFootprint(t *testing.T) {
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

func TestReadingToolsDoNotClaimHiddenData(t *testing.T) {
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
func TestReadingToolsHaveNoDetailSwitch(t *testing.T) {
	list := definitions(t)
	for _, name := range readingTools {
		if name != "schema" && property(t, list[name].InputSchema, "detail") != nil {
			t.Errorf("%s has a switch for its detail", name)
		}
	}
}
