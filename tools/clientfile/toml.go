package clientfile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// addTOML appends a table. Tables can stand in any order, so that nothing before it changes.
func (c MCPClient) addTOML(data []byte) (edited []byte, entry ServerEntry, err error) {
	servers, err := c.tomlServers(data)
	if err != nil {
		return nil, ServerEntry{}, err
	}
	if entry = c.ours(servers); entry.found() {
		return data, entry, nil
	}
	name, err := free(servers)
	if err != nil {
		return nil, ServerEntry{}, err
	}
	nl := "\n"
	if bytes.Contains(data, []byte("\r\n")) {
		nl = "\r\n"
	}
	var text strings.Builder
	text.Write(data)
	if len(data) > 0 {
		if data[len(data)-1] != '\n' {
			text.WriteString(nl)
		}
		text.WriteString(nl)
	}
	fmt.Fprintf(&text, "[%s.%s]%s", c.keys[0], name, nl)
	for _, f := range c.fields {
		text.WriteString(f.name + " = " + f.value() + nl)
	}
	edited = []byte(text.String())
	if servers, err = c.tomlServers(edited); err == nil {
		entry = c.ours(servers)
	}
	if !entry.found() || entry.Name != name {
		return nil, ServerEntry{}, &ClientFileError{Reason: fmt.Sprintf("%s is not written as tables of their own there; add the entry by hand: %s = { command = %q, args = [\"serve\"] }", c.keys[0], name, Program)}
	}
	return edited, entry, nil
}

// tomlServers reads the table of servers, nil when there is none.
func (c MCPClient) tomlServers(data []byte) (map[string]any, error) {
	var file map[string]any
	if err := toml.Unmarshal(data, &file); err != nil {
		invalid := &ClientFileError{Reason: "it is no TOML: " + err.Error()}
		if at := (*toml.DecodeError)(nil); errors.As(err, &at) {
			invalid.Line, _ = at.Position()
		}
		return nil, invalid
	}
	switch servers := file[c.keys[0]].(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return servers, nil
	}
	return nil, &ClientFileError{Reason: c.keys[0] + " is not a table"}
}
