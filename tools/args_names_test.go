package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/toolstest"
)

// neighbours are two tools that read and one that writes, which know of each other's
// arguments.
func neighbours() []tools.Toolset {
	answer := func(_ context.Context, args *tools.Args) (tools.Result, error) {
		inner := args.Object("filters", "status", "labels")
		text := "query " + args.String("query") + ", status " + strings.Join(inner.Strings("status"), "+") +
			", labels " + strings.Join(inner.Strings("labels"), "+") + ", limit " + args.String("limit") + ", sort " + args.String("sortBy")
		if err := args.Err(); err != nil {
			return tools.Result{}, err
		}
		return tools.Result{Text: text, Structured: map[string]string{"id": text}}, nil
	}
	find := named("find", answer)
	find.Input = tools.ObjectSchema(`"query":{"type":"string"},"limit":{"type":"integer"},"filters":{"type":"object","properties":{"status":{"type":"array"},"labels":{"type":"array"}}}`, "query")
	find.Takes = []string{"sortBy"}
	find.Also = map[string][]string{"query": {"q"}, "labels": {"tags"}}
	find.Instead = map[string]string{"page": "Pass a cursor."}
	show := named("show", echo)
	write := named("write", echo)
	write.ReadOnly = false
	write.Input = tools.ObjectSchema(`"id":{"type":"string"},"labels":{"type":"array"},"context":{"type":"object","properties":{"parent":{"type":"string"}}}`, "id")
	write.Also = map[string][]string{"id": {"key"}}
	write.Meant = map[string][]string{"labels": {"tags"}}
	return set(find, show, write)
}

func TestArgumentsAreTakenUnderOtherNames(t *testing.T) {
	c := toolstest.NewClient(t, tools.Config{Toolsets: neighbours()})
	const plain = `query a, status open, labels x, limit 3, sort up`
	for _, arguments := range []string{
		`{"query":"a","limit":3,"sortBy":"up","filters":{"status":"open","labels":"x"}}`,
		`{"q":"a","Limit":3,"sort_by":"up","Filters":"{\"Status\":\"open\",\"tags\":\"x\"}"}`,
		`{"query":"a","q":"a","limit":3,"sortBy":"up","filters":{"status":"open","labels":["x"],"tags":null}}`,
	} {
		if got := c.Call(t, "find", json.RawMessage(arguments)).Text(); got != plain {
			t.Errorf("%s\ngives %s", arguments, got)
		}
	}
}

func TestArgumentsInTheWrongPlaceAreRefused(t *testing.T) {
	c := toolstest.NewClient(t, tools.Config{Toolsets: neighbours()})
	const beside = "Pass what is in it beside the other arguments. find takes query (required), limit, filters."
	for arguments, want := range map[string]string{
		`{"query":"a","status":"open"}`:                          "It belongs in filters: pass filters: {status: …}.",
		`{"query":"a","tags":"x"}`:                               "It belongs in filters: pass filters: {labels: …}.",
		`{"query":"a","filters":{"limit":3}}`:                    "Pass limit beside filters.",
		`{"query":"a","arguments":{"limit":3}}`:                  beside,
		`{"query":"a","request":"{\"Limit\":3}"}`:                beside,
		`{"query":"a","status":"open","filters":{"labels":"x"}}`: "It belongs in filters: pass filters: {status: …}.",
	} {
		if got := c.Refused(t, tools.CodeValidation, "find", json.RawMessage(arguments)); !strings.HasSuffix(got, want) {
			t.Errorf("%s\ngives %s", arguments, got)
		}
	}
}

// TestReadsIgnoreUnknownArgumentsAloud also of arguments that other tools take.
func TestReadsIgnoreUnknownArgumentsAloud(t *testing.T) {
	c := toolstest.NewClient(t, tools.Config{Toolsets: neighbours()})
	const found, shown = "query a, status , labels , limit , sort ", "id x\nsecond line"
	for _, test := range []struct{ tool, arguments, note, text string }{
		{"find", `{"query":"a","page":2}`, "ignored unknown argument page (Pass a cursor)", found},
		{"find", `{"query":"a","id":"x"}`, "ignored unknown argument id", found},
		{"find", `{"query":"a","limt":1}`, "ignored unknown argument limt (did you mean limit?)", found},
		{"find", `{"query":"a","filters":{"page":2}}`, "ignored unknown argument filters.page (Pass a cursor)", found},
		{"find", `{"query":"a","filters":{"offset":0},"offset":0}`, "", found},
		{"show", `{"id":"x","tags":["y"],"colour":"red"}`, "ignored unknown arguments colour, tags", shown},
		{"show", `{"id":"x","a1":1,"b1":1,"c1":1,"d1":1,"e1":1,"f1":1,"g1":1}`, "ignored unknown arguments a1, b1, c1, d1, e1 and 2 more", shown},
	} {
		want := test.text
		if test.note != "" {
			want = "Note: " + test.note + ".\n" + want
		}
		if got := c.Call(t, test.tool, json.RawMessage(test.arguments)).Text(); got != want {
			t.Errorf("%s %s\ngives %s\nwant  %s", test.tool, test.arguments, got, want)
		}
	}
}

func TestWritesRefuseUnknownArguments(t *testing.T) {
	c := toolstest.NewClient(t, tools.Config{Toolsets: neighbours()})
	for _, test := range []struct{ tool, arguments, want string }{
		{"find", `{"query":"a","q":"b"}`, "Argument query is given twice, as 'a' and as 'b'. Pass it once."},
		{"write", `{"id":"x","tags":["y"]}`, "Unknown argument 'tags', nothing was changed. Did you mean labels? write takes id (required), labels, context."},
		{"write", `{"id":"x","parent":"y"}`, "Unknown argument 'parent', nothing was changed. It belongs in context: pass context: {parent: …}."},
		{"write", `{"id":"x","fields":{"labels":[]}}`, "Unknown argument 'fields', nothing was changed. Pass what is in it beside the other arguments. write takes id (required), labels, context."},
		{"write", `{"colour":"red"}`, "2 things are wrong. Unknown argument 'colour', nothing was changed. Missing required argument id (unknown: colour). write takes id (required), labels, context."},
	} {
		if got := c.Refused(t, tools.CodeValidation, test.tool, json.RawMessage(test.arguments)); got != "Error [VALIDATION_ERROR]: "+test.want {
			t.Errorf("%s %s\ngives %s", test.tool, test.arguments, got)
		}
	}
	if got := c.Call(t, "write", map[string]any{"key": "x"}).Text(); got != "id x\nsecond line" {
		t.Errorf("a tool that writes does not take another name of an id: %s", got)
	}
}
