package pdpptest

import (
	"net/http"
	"slices"
	"strings"
)

// schema answers with the streams nested under their connectors, as a real server
// does; there is no list of streams beside them.
func (s *Server) schema(a asked) (reply, *refusal) {
	compact := a.one("view") == "compact"
	wanted, connectionID := a.one("stream"), a.one("connection_id")
	if a.one("detail") == "full" && wanted == "" {
		return reply{}, invalid("detail=full requires stream", "stream")
	}
	if connectionID != "" && !s.knows(connectionID) {
		return reply{}, s.unauthenticated("context.instance_mismatch", failedClosed)
	}
	connectors := []object{}
	total := 0
	for _, c := range s.connections {
		if connectionID != "" && c.id != connectionID {
			continue
		}
		var rows []object
		for _, stream := range c.streams {
			switch {
			case wanted != "" && stream.name != wanted:
			case compact:
				rows = append(rows, s.compactRow(a, stream))
			default:
				row := s.metadata(a, stream)
				row["granted_connections"] = []object{{"connection_id": c.id}}
				if s.restricted(a) {
					row["instance_ids"] = []string{c.id}
				}
				rows = append(rows, row)
			}
		}
		if len(rows) == 0 {
			continue
		}
		total += len(rows)
		connectors = append(connectors, connectorRow(a, c, rows, compact))
	}
	bearer := object{"scope": "grant", "token_kind": "client", "grant_id": "grt_test", "client_id": "cli_test"}
	if a.owner {
		bearer = object{"scope": "owner", "token_kind": "owner"}
	}
	body := object{"object": "schema", "bearer": bearer, "connectors": connectors}
	if compact {
		body["detail"], body["connector_count"], body["stream_count"] = "compact", len(connectors), total
	}
	return reply{body: envelope(a, body, "")}, nil
}

func connectorRow(a asked, c *connection, rows []object, compact bool) object {
	row := object{
		"object": "connector", "source": object{"id": sourceID(a, c), "kind": "connector"},
		"stream_count": len(rows), "streams": rows, "connector_key": c.connector, "connector_id": c.connector,
	}
	if compact {
		row["granted_connections"] = []object{{"connection_id": c.id}}
	}
	return row
}

func sourceID(a asked, c *connection) string {
	if a.owner {
		return c.connector
	}
	return "https://registry.pdpp.dev/connectors/" + c.connector
}

// compactRow tells in a short notation what can be done with each field, but to
// clients of era B, who learn that it is there.
func (s *Server) compactRow(a asked, st *stream) object {
	capabilities := object{}
	for _, f := range st.fields {
		if s.restricted(a) {
			capabilities[f.name] = "declared"
			continue
		}
		notes := []string{"t=" + f.kind}
		if f.equal {
			notes = append(notes, "eq")
		}
		if len(f.ranges) > 0 {
			notes = append(notes, "r="+strings.Join(f.ranges, "|"))
		}
		if f.lexical {
			notes = append(notes, "lex")
		}
		if len(f.aggregations) > 0 {
			notes = append(notes, "a="+strings.Join(f.aggregations, "|"))
		}
		capabilities[f.name] = strings.Join(notes, ",")
	}
	if s.restricted(a) {
		return object{"name": st.name, "primary_key": []string{}, "field_capabilities": capabilities, "expand_capabilities": s.expands(a, st, false)}
	}
	return object{
		"name": st.name, "primary_key": []string{"id"}, "cursor_field": st.cursorField,
		"field_capabilities": capabilities, "expand_capabilities": s.expands(a, st, false),
	}
}

// expands is what a stream advertises. The recorded server tells clients of era B
// of none at all.
func (s *Server) expands(a asked, st *stream, full bool) []object {
	list := []object{}
	if s.restricted(a) {
		return list
	}
	for _, r := range st.relations {
		e := object{
			"name": r.Name, "stream": r.Target, "target_stream": r.Target, "cardinality": "has_many",
			"granted": true, "usable": true, "foreign_key": r.ForeignKey, "max_limit": r.Max, "default_limit": r.Default,
		}
		if full {
			e["child_parent_key_field"] = r.ForeignKey
		}
		list = append(list, e)
	}
	return list
}

// metadata is all there is to tell of a stream.
func (s *Server) metadata(a asked, st *stream) object {
	properties, fields := object{}, object{}
	required := []string{}
	for _, f := range st.fields {
		schema := object{}
		if !s.restricted(a) {
			schema["type"] = f.kind
			if f.format != "" {
				schema["format"] = f.format
			}
			if f.kind == "array" {
				schema["items"] = object{"type": "string"}
			}
			if f.required {
				required = append(required, f.name)
			}
		}
		properties[f.name] = schema
		fields[f.name] = s.fieldCapabilities(a, f, schema)
	}
	row := object{
		"object": "stream_metadata", "name": st.name,
		"freshness":           object{"status": "unknown", "captured_at": day(30)},
		"expand_capabilities": s.expands(a, st, true), "field_capabilities": fields,
	}
	if s.restricted(a) {
		row["primary_key"], row["query"], row["relationships"], row["views"] = []string{}, object{}, []object{}, []object{}
		row["schema"] = object{"type": "object", "additionalProperties": false, "properties": properties}
		return row
	}
	row["primary_key"], row["cursor_field"], row["consent_time_field"] = []string{"id"}, st.cursorField, "created_at"
	row["semantics"], row["selection"] = st.semantics, object{"fields": true, "resources": true}
	row["schema"] = object{"type": "object", "properties": properties, "required": required}
	row["query"], row["relationships"], row["views"] = queryRow(st), relationRows(st), viewRows(st)
	return row
}

func (s *Server) fieldCapabilities(a asked, f field, schema object) object {
	able := func(yes bool) object {
		return object{"declared": yes && !s.restricted(a), "usable": yes && !s.restricted(a)}
	}
	aggregation := object{}
	for _, name := range []string{"count_distinct", "group_by", "group_by_time", "max", "min", "sum"} {
		aggregation[name] = able(slices.Contains(f.aggregations, name))
	}
	row := object{
		"schema": schema, "granted": true, "aggregation": aggregation,
		"lexical_search": able(f.lexical), "semantic_search": able(false),
	}
	if !s.restricted(a) {
		row["exact_filter"], row["range_filter"] = able(f.equal), able(len(f.ranges) > 0)
		if len(f.ranges) > 0 {
			row["range_filter"] = object{"declared": true, "usable": true, "operators": f.ranges}
		}
	}
	return row
}

func queryRow(st *stream) object {
	lexical, ranges := []string{}, object{}
	aggregations := map[string][]string{}
	for _, f := range st.fields {
		if f.lexical {
			lexical = append(lexical, f.name)
		}
		if len(f.ranges) > 0 {
			ranges[f.name] = f.ranges
		}
		for _, name := range f.aggregations {
			aggregations[name] = append(aggregations[name], f.name)
		}
	}
	row := object{"search": object{"lexical_fields": lexical}, "range_filters": ranges}
	if len(aggregations) > 0 {
		all := object{"count": true}
		for name, fields := range aggregations {
			all[name] = fields
		}
		row["aggregations"] = all
	}
	if len(st.relations) > 0 {
		expand := []object{}
		for _, r := range st.relations {
			expand = append(expand, object{"name": r.Name, "default_limit": r.Default, "max_limit": r.Max})
		}
		row["expand"] = expand
	}
	return row
}

func relationRows(st *stream) []object {
	rows := []object{}
	for _, r := range st.relations {
		rows = append(rows, object{"name": r.Name, "stream": r.Target, "foreign_key": r.ForeignKey, "cardinality": "has_many"})
	}
	return rows
}

func viewRows(st *stream) []object {
	rows := []object{}
	for id, fields := range st.views {
		rows = append(rows, object{"id": id, "label": id, "fields": fields})
	}
	return rows
}

func (s *Server) streamList(a asked) (reply, *refusal) {
	connectionID := a.one("connection_id")
	if connectionID != "" && !s.knows(connectionID) {
		return reply{}, s.unauthenticated("context.instance_mismatch", failedClosed)
	}
	data := []object{}
	for _, c := range s.connections {
		if connectionID != "" && c.id != connectionID {
			continue
		}
		for _, st := range c.streams {
			last := st.records[len(st.records)-1].at
			row := object{
				"object": "stream", "name": st.name, "record_count": len(st.records), "last_updated": last,
				"connection_id": c.id, "connector_instance_id": c.id,
				"freshness": object{"status": "unknown", "captured_at": last},
			}
			if a.owner {
				row["connector_id"], row["source"] = c.connector, object{"id": c.connector, "kind": "connector"}
			}
			data = append(data, row)
		}
	}
	return reply{body: envelope(a, object{"object": "list", "has_more": false, "data": data}, "")}, nil
}

func (s *Server) streamMetadata(a asked) (reply, *refusal) {
	c, st, wrong := s.find(a)
	if wrong != nil {
		return reply{}, wrong
	}
	row := s.metadata(a, st)
	if s.restricted(a) {
		row["instance_ids"] = []string{c.id}
	}
	return reply{body: envelope(a, row, "")}, nil
}

func (s *Server) knows(connectionID string) bool {
	return slices.ContainsFunc(s.connections, func(c *connection) bool { return c.id == connectionID })
}

// find returns the stream of the path, in the connection that was asked for. One
// that several connections have must be asked for with one.
func (s *Server) find(a asked) (*connection, *stream, *refusal) {
	connectionID, name := a.one("connection_id"), a.PathValue("stream")
	if connectionID != "" && !s.knows(connectionID) {
		return nil, nil, s.unauthenticated("context.instance_mismatch", failedClosed)
	}
	type place struct {
		*connection
		*stream
	}
	var found []place
	for _, c := range s.connections {
		for _, st := range c.streams {
			if st.name == name && (connectionID == "" || c.id == connectionID) {
				found = append(found, place{c, st})
			}
		}
	}
	switch len(found) {
	case 0:
		return nil, nil, s.unauthenticated("context.stream_not_allowed", failedClosed)
	case 1:
		return found[0].connection, found[0].stream, nil
	}
	available := []object{}
	for _, p := range found {
		available = append(available, object{"connection_id": p.id, "connector_key": p.connector, "display_name": "Account " + p.id})
	}
	wrong := refuse(http.StatusConflict, "ambiguous_connection", "Stream '"+name+"' is available from several connections")
	wrong.more = object{"available_connections": available, "retry_with": "connection_id"}
	return nil, nil, wrong
}
