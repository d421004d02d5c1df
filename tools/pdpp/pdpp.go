// Package pdpp is the toolset over a PDPP resource server (RS): reading the streams that a
// grant covers, and event subscriptions. Its tools are rows of one table, over one list view
// (list.go, rows.go) and one document view (document.go).
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
	"net/http"
	"strings"

	"issues-index/tools"
)

// Toolset returns the tools that ask the RS of a client. Their definitions need no client.
func Toolset(c *Client) tools.Toolset {
	set := tools.Toolset{Name: "pdpp", Lead: opening, ShortLead: shortOpening, Guide: guide, ShortGuide: shortGuide}
	for _, t := range table {
		set.Tools = append(set.Tools, t.definition(c))
	}
	return set
}

// table has all tools, in the order of tools/list.
var table = []tool{{
	name: "schema", path: schemaPath, takes: "detail stream connection_id fields@schema",
	description: "Read what the grant covers and what calls may use: streams, fields, filter operators, relations, " +
		"connections: " +
		"GET /v1/schema. Read-only. Compact by default; detail full needs stream." + served + " Scope it with stream.",
	output: answered(`"legend":` + anyText), check: checkDetail, answer: schema,
}, {
	name: "list_streams", path: "/v1/streams", takes: "connection_id",
	description: "List the streams that the grant covers, with connection_id and record counts: GET /v1/streams. " +
		"Read-only." + served +
		" Next: schema with one stream; connection_id narrows.",
	output: answered(), answer: streamList.answer,
}, {
	name: "query_records", path: "/v1/streams/{stream}/records",
	takes: "stream! limit cursor order sort count filter fields view expand expand_limit changes_since connection_id",
	description: "Read a page of a stream's records: GET /v1/streams/{stream}/records. Read-only. Text previews " +
		"them." + served +
		" Page with cursor, narrow with fields and limit; use aggregate or search when whole records are not needed." +
		" What a stream takes: schema.",
	output: answered(), answer: queryRecords,
}, {
	name: "aggregate", path: "/v1/streams/{stream}/aggregate",
	takes: "stream! metric! field group_by group_by_time granularity time_zone limit filter connection_id",
	description: "Count or aggregate one stream: GET /v1/streams/{stream}/aggregate. Read-only. Cheaper than reading " +
		"records. " +
		"field is for all metrics but count; group_by, or group_by_time with granularity." + served,
	output: answered(), check: checkGroups, answer: aggregate,
}, {
	name: "search", path: "/v1/search", takes: "q! streams limit cursor mode filter connection_id",
	description: "Search the text of the granted records: GET /v1/search, with mode /v1/search/semantic or /hybrid. " +
		"Read-only. " +
		"Ids of results go to fetch." + served + " Narrow with streams and limit; cursor goes on, but not in hybrid.",
	output: answered(`"results":{"type":"array","items":{"type":"object","properties":{"id":` + anyText +
		`,"title":` + anyText +
		`,"url":` + anyText + `},"required":["id"]}}`),
	check: checkMode, answer: search,
}, {
	name: "fetch", takes: "id! fields expand expand_limit field offset_chars limit_chars q before_chars " +
		"after_chars connection_id",
	description: "Read one record by its id: GET /v1/streams/{stream}/records/{record_id}. Read-only. With field, a " +
		"window of that text " +
		"(GET …/field-window): at offset_chars, or around q." + served + " Narrow with fields.",
	output: answered(`"id":`+anyText, `"title":`+anyText, `"url":`+anyText), check: checkWindow, answer: fetch,
}, {
	name: "discover_event_subscription_capabilities",
	description: "Tell how event subscriptions work here: event types, callback rules, verification, retries and " +
		"Standard Webhooks signing, " +
		"from GET " + metadataPath + ". Read-only. " +
		"Call it before create_event_subscription; to poll, use query_records with changes_since.",
	output: answered(`"supported":` + truth), answer: discoverEvents,
}, {
	name: "create_event_subscription", method: http.MethodPost, path: subscriptionsPath, takes: "callback_url! " +
		"connection_id filters",
	description: "Create a subscription that tells callback_url of changes in the granted streams: POST " +
		"/v1/event-subscriptions. Writes. " +
		"The answer has its secret, this once. Call discover_event_subscription_capabilities before.",
	output: answered(), answer: createSubscription,
}, {
	name: "list_event_subscriptions", path: subscriptionsPath,
	description: "List the event subscriptions of this grant with status and callback_url: GET " +
		"/v1/event-subscriptions. Read-only. " +
		"Without secrets. See discover_event_subscription_capabilities.",
	output: answered(), answer: subscriptionList.answer,
}, {
	name: "get_event_subscription", path: subscriptionPath, takes: "subscription_id!",
	description: "Read the status of one event subscription: GET /v1/event-subscriptions/{id}. Read-only. " +
		"Without its secret. See discover_event_subscription_capabilities.",
	output: answered(), answer: onSubscription("Event subscription %s.", nil),
}, {
	name: "update_event_subscription", method: http.MethodPatch, path: subscriptionPath,
	takes: "subscription_id! enabled rotate_secret",
	description: "Disable or enable an event subscription, or rotate its secret: PATCH /v1/event-subscriptions/{id}. " +
		"Writes. " +
		"A new secret is shown this once. See discover_event_subscription_capabilities.",
	output: answered(), answer: updateSubscription,
}, {
	name: "delete_event_subscription", method: http.MethodDelete, path: subscriptionPath, takes: "subscription_id!",
	description: "Delete an event subscription and drop what it has still to deliver: DELETE " +
		"/v1/event-subscriptions/{id}. " +
		"Writes, and cannot be undone. See discover_event_subscription_capabilities.",
	// the RS answers without a body
	output: envelopeSchema(`{"type":["object","null"]}`), answer: onSubscription("Deleted event subscription %s.", nil),
}, {
	name: "send_test_event", method: http.MethodPost, path: subscriptionPath + "/test-event", takes: "subscription_id!",
	description: "Send a test event to the receiver of a subscription: POST /v1/event-subscriptions/{id}/test-event. " +
		"Writes: " +
		"each call sends another. See discover_event_subscription_capabilities.",
	output: answered(),
	answer: onSubscription("A test event of %s is queued; the receiver knows whether it arrived.", struct{}{}),
}, {
	name: "fetch_blob", path: "/v1/blobs/{blob_id}", takes: "blob_id! range connection_id",
	description: "Read a blob that a record names: GET /v1/blobs/{blob_id}. Read-only. Text comes as text, other " +
		"bytes in base64 when they are few; " +
		"range reads a part of either, and the answer names the next. Structured output says the same as the text.",
	output: tools.ObjectSchema(`"blob_id":`+anyText+`,"mime_type":`+anyText+`,"size":`+number+`,"total_size":`+number+
		`,"text":`+anyText+
		`,"bytes_base64":`+anyText+`,"next_range":`+anyText+`,"location":`+anyText+`,"provider_url":`+anyText+
		`,"request_id":{"type":["string","null"]},"note":`+anyText,
		"blob_id", "mime_type", "size", "provider_url", "request_id"),
	answer: fetchBlob,
}}

// served is what the description of each reading tool says of its structured output.
const served = " Structured output: the server's answer, under data."

// answered returns the output schema of an envelope with these properties beside it.
func answered(properties ...string) json.RawMessage { return envelopeSchema(anything, properties...) }

// envelopeSchema is answered for data of another schema.
func envelopeSchema(data string, properties ...string) json.RawMessage {
	own := append([]string{`"data":` + data, `"provider_url":` + anyText,
		`"request_id":{"type":["string","null"]}`, `"note":` + anyText}, properties...)
	return tools.ObjectSchema(strings.Join(own, ","), "data", "provider_url", "request_id")
}

// The instructions of this toolset. Hosts cut instructions: the lead stands in the part
// that all hosts show; the short forms are for a server with several toolsets.
const (
	opening = "This service reads the streams of a PDPP resource server that one grant covers. " +
		"Schema first: list_streams names streams and connections, schema tells what one takes. " +
		"Pass a connection_id where connections share a stream. " +
		"Filters are typed objects, never query strings. " +
		"Pages are bounded: go on with cursor, narrow with limit and fields, and prefer aggregate or search to reading " +
		"whole records."

	shortOpening = "PDPP streams of one grant: schema first (list_streams, schema), connection_id per source, typed " +
		"filters, limit and cursor, narrow with fields."

	guide = "The grant bounds every PDPP call, and the operator looks after it. " +
		"An error names what to pass instead: available_connections lists connection ids, which outlast a reconnect. " +
		"fetch takes ids of search and query_records, and reads a long text in windows with field. " +
		"expand needs a relation that schema advertises. " +
		"Call discover_event_subscription_capabilities before any other event tool. " +
		"Text summarizes, structured output has the server's answer under data; both may be shown to you."

	shortGuide = "fetch takes ids of search and query_records, expand a relation that schema advertises; " +
		"discover_event_subscription_capabilities comes before event tools."
)
