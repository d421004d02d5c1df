package clientfile

import (
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
	if entry, err = newEntry(servers); err != nil {
		return nil, ServerEntry{}, err
	}
	nl := newlineOf(data)
	var text strings.Builder
	text.Write(data)
	if len(data) > 0 {
		if data[len(data)-1] != '\n' {
			text.WriteString(nl)
		}
		text.WriteString(nl)
	}
	fmt.Fprintf(&text, "[%s.%s]%s", c.key, entry.Name, nl)
	for _, f := range c.fields {
		text.WriteString(f.name + " = " + f.value() + nl)
	}
	edited = []byte(text.String())
	if servers, err = c.tomlServers(edited); err != nil || c.ours(servers).Name != entry.Name {
		return nil, ServerEntry{}, &ClientFileError{Reason: fmt.Sprintf(
			"%s is not written as tables of their own there; add the entry by hand: %s = { command = %q, args = [\"serve\"] }",
			c.key, entry.Name, Program)}
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
	switch servers := file[c.key].(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return servers, nil
	}
	return nil, &ClientFileError{Reason: c.key + " is not a table"}
}
