package pdpp

// What a client is told of this toolset before it calls anything. Hosts cut
// instructions: the lead stands in the part that all of them show, alone or, in its
// short form, beside another toolset's.
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
