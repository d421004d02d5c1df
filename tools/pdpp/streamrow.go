package pdpp

import (
	"cmp"
	"encoding/json"
	"slices"
)

// A streamRow is what a schema document says of one stream of one connector.
type streamRow struct {
	Name         string                     `json:"name"`
	Connector    string                     `json:"connector_key"`
	ConnectionID string                     `json:"connection_id"`
	Granted      []connection               `json:"granted_connections"`
	Fields       map[string]json.RawMessage `json:"field_capabilities"`
	Expand       json.RawMessage            `json:"expand_capabilities"`
	Views        []named                    `json:"views"`
}

// A named is a thing with a name, or the name of one.
type named struct {
	Name string `json:"name"`
	ID   string `json:"id"` // in place of a name
}

// UnmarshalJSON reads a thing or its name.
func (n *named) UnmarshalJSON(raw []byte) error {
	if text, ok := textOf(raw); ok {
		n.Name = text
		return nil
	}
	type plain named
	read(raw, (*plain)(n))
	return nil
}

// views returns the names of those that view takes.
func (r streamRow) views() (names []string) {
	for _, view := range r.Views {
		if name := cmp.Or(view.Name, view.ID); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// A connection is one account or device whose data a connector reads.
type connection struct {
	ID        string `json:"connection_id"`
	Name      string `json:"display_name"`
	Connector string `json:"connector_key"`
}

// UnmarshalJSON reads a connection, or the id of one.
func (c *connection) UnmarshalJSON(raw []byte) error {
	if id, ok := textOf(raw); ok {
		c.ID = id
		return nil
	}
	type plain connection
	read(raw, (*plain)(c))
	return nil
}

// A schemaDocument is GET /v1/schema. Streams stand under their connectors; some
// servers have them at the top, and some wrap all of it in data.
type schemaDocument struct {
	Data       *schemaDocument `json:"data"`
	Streams    []streamRow     `json:"streams"`
	Connectors []struct {
		Key          string       `json:"connector_key"`
		ID           string       `json:"connector_id"`
		ConnectionID string       `json:"connection_id"`
		Granted      []connection `json:"granted_connections"`
		Streams      []streamRow  `json:"streams"`
	} `json:"connectors"`
}

// rows returns the streams wherever they stand.
func (d *schemaDocument) rows() []streamRow {
	rows := slices.Clone(d.Streams)
	for _, connector := range d.Connectors {
		for _, row := range connector.Streams {
			if row.Connector == "" {
				row.Connector = connector.Key
			}
			if row.Connector == "" {
				row.Connector = connector.ID
			}
			if len(row.Granted) == 0 && row.ConnectionID == "" {
				row.Granted, row.ConnectionID = connector.Granted, connector.ConnectionID
			}
			rows = append(rows, row)
		}
	}
	if d.Data != nil {
		rows = append(rows, d.Data.rows()...)
	}
	return rows
}

// connections returns those that the row is of.
func (r streamRow) connections() []connection {
	list := slices.Clone(r.Granted)
	if r.ConnectionID != "" && !slices.ContainsFunc(list, func(c connection) bool { return c.ID == r.ConnectionID }) {
		list = append(list, connection{ID: r.ConnectionID})
	}
	return list
}

// rowsOf returns the rows of a stream, and of a connection when one is named, none
// when the document cannot be read.
func rowsOf(document json.RawMessage, stream, connectionID string) []streamRow {
	var d schemaDocument
	read(document, &d)
	return slices.DeleteFunc(d.rows(), func(row streamRow) bool {
		if row.Name != stream {
			return true
		}
		of := row.connections()
		return connectionID != "" && len(of) > 0 &&
			!slices.ContainsFunc(of, func(c connection) bool { return c.ID == connectionID })
	})
}

// expansions are what can be expanded, each as it is described, and whether all of it
// is there.
func (r streamRow) expansions() (list []json.RawMessage, whole bool) {
	whole = len(r.Expand) == 0 || json.Unmarshal(r.Expand, &list) == nil
	return list, whole
}

// relations returns the names of those that can be expanded, and false when there
// are some whose name cannot be told.
func (r streamRow) relations() (names []string, named bool) {
	list, whole := r.expansions()
	if !whole {
		return nil, false
	}
	for _, raw := range list {
		name := ""
		if json.Unmarshal(raw, &name) != nil {
			var relation struct {
				Name string `json:"name"`
			}
			if json.Unmarshal(raw, &relation) != nil {
				return nil, false
			}
			name = relation.Name
		}
		if name == "" {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}
