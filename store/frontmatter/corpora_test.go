package frontmatter

import (
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"issues-index/store/layout"
	"issues-index/store/storetest"
	"issues-index/store/yamlfile"
)

// editsOf are the edits that a document is tried with: every known field, every
// key it has, below wranglerContext too, and the body.
func editsOf(text string) []Edit {
	list := []Edit{
		set("title", "New: 'one' #1"), set("title", "New one"), set("id", "000007"),
		set("status", "closed"), set("status", "open"), set("status", "in_progress"), set("priority", "high"),
		set("labels", []string{}), set("labels", []string{"bug", "two words", "no", "area:ui"}),
		set("assignee", "@claude"), set("assignee", nil), set("project", "Docs, all"), set("type", "idea"),
		setContext("agentId", "claude: 7"), setContext("meta", raw(`{"a":[1,"2",null,{"b":true}],"c d":"e\nf"}`)),
		{Set: []Assignment{{"status", "cancelled"}, {"labels", []string{"x"}}}, Context: []Assignment{{"parentTaskId", "000001"}}},
		{Body: ptr("New body.\n\n- [ ] one\r\n")}, {Body: ptr(" \n")},
	}
	d := parseFile(text)
	if len(d.Labels) > 0 {
		list = append(list, set("labels", append(slices.Clone(d.Labels), "added")), set("labels", d.Labels[1:]), set("labels", d.Labels[:len(d.Labels)-1]), set("labels", append([]string{"first"}, d.Labels...)))
	}
	b, _, problem := Split(text)
	if problem != nil {
		return list
	}
	root, _ := yamlfile.Decode([]byte(b.YAML))
	for _, key := range keysOf(root) {
		list = append(list, set(key, "a value"), set(key, nil), set(key, []string{"one", "- two"}), set(key, raw(`{"n":-1.50,"t":true}`)))
	}
	for _, key := range keysOf(target(lookup(root, "wranglerContext"))) {
		list = append(list, setContext(key, "a value"), setContext(key, nil), setContext(key, raw(`[{"a":""},[],{}]`)))
	}
	return list
}

func keysOf(m *yaml.Node) (keys []string) {
	if m == nil || m.Kind != yaml.MappingNode {
		return nil
	}
	for _, kv := range pairs(m) {
		keys = append(keys, kv.key)
	}
	return keys
}

func ptr(s string) *string { return &s }

// TestEditCorpora tries many edits with every document of four repositories.
// Refused are the documents that a person has to mend first, and no others.
func TestEditCorpora(t *testing.T) {
	for corpus, want := range map[string]int{
		"samjhecht-wrangler": 0,
		"backlogmd-own":      21, // assignee: @name
		"eips-sample":        0,
		"crlf-sample":        0,
	} {
		t.Run(corpus, func(t *testing.T) {
			every := 60 // of the edits; the next document has the next ones
			if storetest.Long() {
				every = 12
			}
			frozen, documents, tried := 0, 0, 0
			storetest.CorpusFiles(t, corpus, func(name, text string) {
				documents++
				_, _, err := Edit{}.Apply(Parse([]byte(text), "", layout.Default()), editTime)
				if err != nil {
					frozen++
				}
				for i, e := range editsOf(text) {
					if (i+documents)%every != 0 {
						continue
					}
					tried++
					if refused := checkEdit(t, name, text, e); refused != (err != nil) {
						_, _, err := e.Apply(Parse([]byte(text), "", layout.Default()), editTime)
						t.Errorf("%s: refused: %v\nedit %s", name, err, describe(e))
					}
				}
			})
			if frozen != want {
				t.Errorf("%d documents are refused, want %d", frozen, want)
			}
			t.Logf("%d edits of %d documents", tried, documents)
		})
	}
}
