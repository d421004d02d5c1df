// Package pdpp is the toolset over a PDPP resource server (RS): reading the streams that a
// grant covers, and event subscriptions. Each reading tool has a file with its definition,
// its handler and its answer in both channels; events.go has the event tools.
//
// It knows nothing about MCP, about documents or about the content of streams. Its
// invariants:
//
//   - structured output has the RS's answer unchanged, under data;
//   - the text has every id, cursor and name that the next call needs;
//   - wrong arguments are refused before any request, and no argument is dropped;
//   - the token goes only to the RS and is in no answer, error or log;
//   - nothing is remembered between calls: schema, grant and token are read for each.
package pdpp

import (
	"encoding/json"
	"strings"

	"issues-index/tools"
)

// Toolset returns the tools that ask the RS of a client. Their definitions need no client.
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
		set[i] = withoutToken(set[i])
	}
	return tools.Toolset{Name: "pdpp", Lead: opening, ShortLead: shortOpening, Guide: guide, ShortGuide: shortGuide, Tools: set}
}

// reading completes the definition of a tool that reads: its hints, and that it refuses
// unknown arguments.
func reading(t tools.Tool) tools.Tool {
	t.ReadOnly, t.Idempotent, t.Strict = true, true, true
	return t
}

// served is what the description of each reading tool says of its structured output.
const served = " Structured output: the server's answer, under data."

// Fragments of JSON schema that several tools share.
const (
	anyText  = `{"type":"string"}`
	anyTexts = `{"type":"array","items":` + anyText + `}`
	number   = `{"type":"integer"}`
	anything = `{"type":"object"}`
)

// answered returns the output schema of an envelope with these properties beside it.
func answered(properties ...string) json.RawMessage { return envelopeSchema(anything, properties...) }

// envelopeSchema is answered for data of another schema.
func envelopeSchema(data string, properties ...string) json.RawMessage {
	own := append([]string{`"data":` + data, `"provider_url":` + anyText, `"request_id":{"type":["string","null"]}`, `"note":` + anyText}, properties...)
	return tools.ObjectSchema(strings.Join(own, ","), "data", "provider_url", "request_id")
}

// The instructions of this toolset. Hosts cut instructions: the lead stands in the part
// that all hosts show; the short forms are for a server with several toolsets.
const (
	opening = "This service reads the streams of a PDPP resource server that one grant covers. " +
		"Schema first: list_streams names streams and connections, schema tells what one takes. " +
		"Pass a connection_id where connections share a stream. " +
		"Filters are typed objects, never query strings. " +
		"Pages are bounded: go on with cursor, narrow with limit and fields, and prefer aggregate or search to reading whole records."

	shortOpening = "PDPP streams of one grant: schema first (list_streams, schema), connection_id per source, typed filters, limit and cursor, narrow with fields."

	guide = "The grant bounds every PDPP call, and the operator looks after it. " +
		"An error names what to pass instead: available_connections lists connection ids, which outlast a reconnect. " +
		"fetch takes ids of search and query_records, and reads a long text in windows with field. " +
		"expand needs a relation that schema advertises. " +
		"Call discover_event_subscription_capabilities before any other event tool. " +
		"Text summarizes, structured output has the server's answer under data; both may be shown to you."

	shortGuide = "fetch takes ids of search and query_records, expand a relation that schema advertises; discover_event_subscription_capabilities comes before event tools."
)
