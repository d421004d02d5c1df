// Package pdpp is the toolset over a PDPP resource server (RS): grant-scoped reads
// of the streams of its connections, and event subscriptions. One file a tool, each
// with its definition, its handler and its answer in both channels; the client, the
// credentials and the errors are beside them.
//
// It knows nothing about MCP, about documents or about what streams hold. Its
// invariants:
//
//   - what the RS answers stands unchanged in structured output, under data;
//   - every handle that the next call needs stands in the text too;
//   - what is wrong with the arguments is refused before any request, and nothing
//     of them is dropped;
//   - the token goes to the RS alone and is in no answer, error or log;
//   - nothing is remembered between calls but how large the rows of a stream are:
//     schema, grant and token are those of the moment.
package pdpp

import (
	"encoding/json"
	"strings"

	"issues-index/tools"
)

// Toolset returns the tools that ask the RS of a client. Their definitions need
// none.
func Toolset(c *Client) tools.Toolset {
	set := []tools.Tool{
		schemaTool(c),
		listStreams(c),
		queryRecords(c),
		aggregate(c),
		search(c),
		fetch(c),
		discoverEventSubscriptionCapabilities(c),
		createEventSubscription(c),
		listEventSubscriptions(c),
		getEventSubscription(c),
		updateEventSubscription(c),
		deleteEventSubscription(c),
		sendTestEvent(c),
		fetchBlob(c),
	}
	for i := range set {
		set[i] = covered(set[i])
	}
	return tools.Toolset{Name: "pdpp", Lead: opening, ShortLead: shortOpening, Guide: guide, ShortGuide: shortGuide, Tools: set}
}

// reading is the definition of a tool that reads: what its hints are, and that an
// argument which it does not have is refused rather than dropped.
func reading(t tools.Tool) tools.Tool {
	t.ReadOnly, t.Idempotent, t.Strict = true, true, true
	return t
}

// served is what a definition's text says of the structured output of a tool that
// reads; every one of them says it, so it is short.
const served = " Structured output: the server's answer, under data."

// Fragments of JSON schema that several tools share.
const (
	anyText  = `{"type":"string"}`
	anyTexts = `{"type":"array","items":` + anyText + `}`
	number   = `{"type":"integer"}`
	anything = `{"type":"object"}`
)

// answered is the output schema of an answer that carries the RS's own, beside these
// properties.
func answered(properties ...string) json.RawMessage {
	own := append([]string{`"data":` + anything, `"provider_url":` + anyText, `"request_id":{"type":["string","null"]}`, `"note":` + anyText}, properties...)
	return tools.ObjectSchema(strings.Join(own, ","), "data", "provider_url", "request_id")
}
