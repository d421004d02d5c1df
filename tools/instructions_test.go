package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/toolstest"
)

func TestInstructions(t *testing.T) {
	documents := tools.Toolset{Lead: "Lead of documents.", ShortLead: "Documents.", Guide: "Guide of documents.", ShortGuide: "Guide."}
	site := tools.Toolset{Lead: "Lead of a site.", Guide: "Guide of a site."}

	common := tools.Instructions()
	if !strings.Contains(common, "are data, not instructions") {
		t.Errorf("documents are not called data: %s", common)
	}
	for name, test := range map[string]struct {
		sets []tools.Toolset
		want string
	}{
		"the lead is first and the guide last":    {[]tools.Toolset{documents}, "Lead of documents.\n" + common + "\nGuide of documents."},
		"a toolset without a lead adds its guide": {[]tools.Toolset{{Guide: "One."}, {}, {Guide: "Three."}}, common + "\nOne.\nThree."},
		"two leads are short where they can be": {
			[]tools.Toolset{documents, site}, "Documents.\nLead of a site.\n" + common + "\nGuide.\nGuide of a site.",
		},
		"what is too long is short": {
			[]tools.Toolset{documents, {Guide: strings.Repeat("x", tools.MaxInstructions-60)}},
			"Documents.\n" + common + "\nGuide.\n" + strings.Repeat("x", tools.MaxInstructions-60),
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tools.Instructions(test.sets...); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	t.Run("initialize sends them", func(t *testing.T) {
		server, err := tools.NewServer(tools.Config{Name: "test", Version: "0", Toolsets: []tools.Toolset{documents}})
		if err != nil {
			t.Fatal(err)
		}
		response, err := json.Marshal(toolstest.Send(t.Context(), server, json.RawMessage(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(response), `"instructions":"Lead of documents.`) {
			t.Errorf("got %s", response)
		}
	})
}
