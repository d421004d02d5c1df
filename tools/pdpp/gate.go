package pdpp

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"

	"issues-index/store/words"
	"issues-index/tools"
)

// A schemaDocument is the answer to GET /v1/schema. Streams stand under their connectors;
// some servers have them at the top, and some wrap everything in data.
type schemaDocument struct {
	Data       *schemaDocument `json:"data"`
	Streams    []streamSchema  `json:"streams"`
	Connectors []struct {
		Key          string         `json:"connector_key"`
		ID           string         `json:"connector_id"`
		ConnectionID string         `json:"connection_id"`
		Granted      []connection   `json:"granted_connections"`
		Streams      []streamSchema `json:"streams"`
	} `json:"connectors"`
}

// A streamSchema is what a schema document says of one stream of one connector.
type streamSchema struct {
	Name         string                     `json:"name"`
	Connector    string                     `json:"connector_key"`
	ConnectionID string                     `json:"connection_id"`
	Granted      []connection               `json:"granted_connections"`
	Fields       map[string]json.RawMessage `json:"field_capabilities"`
	Expand       json.RawMessage            `json:"expand_capabilities"`
	Views        json.RawMessage            `json:"views"`
}

// A connection is one account or device whose data a connector reads.
type connection struct {
	ID        string `json:"connection_id"`
	Name      string `json:"display_name,omitempty"`
	Connector string `json:"connector_key,omitempty"`
}

// streams returns the streams of the document, wherever they stand.
func (d *schemaDocument) streams() []streamSchema {
	streams := slices.Clone(d.Streams)
	for _, connector := range d.Connectors {
		for _, s := range connector.Streams {
			s.Connector = cmp.Or(s.Connector, connector.Key, connector.ID)
			if len(s.Granted) == 0 && s.ConnectionID == "" {
				s.Granted, s.ConnectionID = connector.Granted, connector.ConnectionID
			}
			streams = append(streams, s)
		}
	}
	if d.Data != nil {
		streams = append(streams, d.Data.streams()...)
	}
	return streams
}

// streamsNamed returns the streams of a name, of one connection when it is not "". There
// are none when the document cannot be read.
func streamsNamed(document json.RawMessage, name, connectionID string) []streamSchema {
	var d schemaDocument
	read(document, &d)
	return slices.DeleteFunc(d.streams(), func(s streamSchema) bool {
		of := s.connections()
		return s.Name != name || connectionID != "" && len(of) > 0 &&
			!slices.ContainsFunc(of, func(c connection) bool { return c.ID == connectionID })
	})
}

// connections returns the connections that have the stream.
func (s streamSchema) connections() []connection {
	list := slices.Clone(s.Granted)
	if s.ConnectionID != "" && !slices.ContainsFunc(list, func(c connection) bool { return c.ID == s.ConnectionID }) {
		list = append(list, connection{ID: s.ConnectionID})
	}
	return list
}

// relations returns the names of what can be expanded, and false when there are some
// whose name cannot be told.
func (s streamSchema) relations() (names []string, known bool) {
	var list []struct {
		Name string `json:"name"`
	}
	known = len(s.Expand) == 0 || json.Unmarshal(s.Expand, &list) == nil
	for _, relation := range list {
		names, known = append(names, relation.Name), known && relation.Name != ""
	}
	return names, known
}

// checkExpand refuses relations that the present schema of a stream does not advertise.
// It asks for the schema each time. When it cannot get it, or does not find the stream in
// it, it leaves the decision to the RS.
func (c *call) checkExpand(ctx context.Context, stream, connection string) error {
	if len(c.relations) == 0 {
		return nil
	}
	query := url.Values{"view": {"compact"}, "stream": {stream}}
	if connection != "" {
		query.Set("connection_id", connection)
	}
	r, err := c.getAt(ctx, schemaPath, query)
	if err != nil {
		return nil //nolint:nilerr // the RS decides
	}
	streams := streamsNamed(r.Body, stream, connection)
	var advertised []string
	for _, s := range streams {
		names, known := s.relations()
		if !known {
			return nil
		}
		advertised = append(advertised, names...)
	}
	for _, relation := range c.relations {
		if len(streams) == 0 || slices.Contains(advertised, relation) {
			continue
		}
		return tools.Errorf(codeInvalidExpand,
			"The stream %s has no relation %s to expand: its schema (GET /v1/schema, expand_capabilities) advertises %s.",
			quote(stream), quote(relation), cmp.Or(someOf(words.Once(advertised)), "none")).On("expand").
			Try("Pass one that it advertises, or leave out expand and expand_limit and read the related stream itself.")
	}
	return nil
}
