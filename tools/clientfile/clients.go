// Package clientfile adds this server to the configuration files of MCP clients: it knows
// which file each client reads, what an entry looks like there, and how to add one without
// touching anything else in the file.
//
// It opens no file and knows nothing about workspaces or MCP. Its invariants:
//   - an edit only inserts: what was in the file stays, byte for byte, comments and order too;
//   - a file that the client could not read is refused, and an edit never makes one;
//   - an edited file has the entry, so that a second edit changes nothing.
package clientfile

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Program is the command of an entry. It has no path: clients find it as a shell does.
const Program = "issues-index"

// names are those that an entry gets: the first that nothing else has.
var names = []string{"issues", "issues-index"}

// A MCPClient is a client and the file that it has its servers in.
type MCPClient struct {
	Name  string // as a person types it
	Title string
	// Files are the paths of the file, relative to the project: the first one that is there
	// is edited, else the first one is made. The user's own file of Codex has none.
	Files []string
	// Hint is what else the client needs, "" for nothing.
	Hint string

	key    string // of the block of servers
	inner  string // a key that newer versions have in that, around the servers
	fields []field
	strict bool // the client takes no comments in the file
	toml   bool
}

// A field is a member of an entry. Its value is a text, a list of texts, or members of its own.
type field struct {
	name    string
	text    string
	list    []string
	members []field
}

// value is a text or a list as JSON and as TOML, which write these alike.
func (f field) value() string {
	if f.list == nil {
		return quoted(f.text)
	}
	items := make([]string, len(f.list))
	for i, item := range f.list {
		items[i] = quoted(item)
	}
	return "[" + strings.Join(items, ", ") + "]"
}

func quoted(text string) string { return `"` + text + `"` }

var (
	command = field{name: "command", text: Program}
	args    = field{name: "args", list: []string{"serve"}}
)

// MCPClients are the clients that can be configured.
var MCPClients = []MCPClient{
	{
		Name: "claude", Title: "Claude Code", Files: []string{".mcp.json"}, key: "mcpServers",
		fields: []field{command, args}, strict: true,
		Hint: "Claude Code asks at its next start whether to use the server",
	},
	{Name: "codex", Title: "Codex CLI", key: "mcp_servers", fields: []field{command, args}, toml: true},
	{
		Name: "vscode", Title: "VS Code", Files: []string{".vscode/mcp.json"}, key: "servers",
		fields: []field{{name: "type", text: "stdio"}, command, args},
	},
	{
		Name: "cursor", Title: "Cursor", Files: []string{".cursor/mcp.json"}, key: "mcpServers",
		fields: []field{command, args},
		Hint:   "Cursor wants the server to be switched on in its settings",
	},
	{
		Name: "gemini", Title: "Gemini CLI", Files: []string{".gemini/settings.json"}, key: "mcpServers",
		fields: []field{command, args},
		Hint:   `gemini -p has none of the tools until you add "trust": true to the entry`,
	},
	{
		Name: "zed", Title: "Zed", Files: []string{".zed/settings.json"}, key: "context_servers",
		fields: []field{command, args},
		Hint: "Zed may start the server outside of the project: the agent passes workspace then, " +
			"or you name the project in your own configuration",
	},
	{
		Name: "opencode", Title: "opencode", Files: []string{"opencode.json", "opencode.jsonc"}, key: "mcp",
		inner:  "servers",
		fields: []field{{name: "type", text: "local"}, {name: "command", list: []string{Program, "serve"}}},
	},
}

// MaxFile is how large a client's file may be, in bytes. What is nested deeper than its reader
// can go does not fit.
const MaxFile = 256 << 10

// An ClientFileError refuses a file that cannot be edited, or is not the client's.
type ClientFileError struct {
	Line   int // from 1; 0 when no one line is to blame
	Reason string
}

func (e *ClientFileError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
	}
	return e.Reason
}

// A ServerEntry is what a file has of this server.
type ServerEntry struct {
	Name    string // may be empty: "" is a key like any other
	Command string // with its arguments; empty where there is no entry
	// Others are the keys that Add does not write, sorted: an environment, a folder, an address.
	// Each can decide what is started, or where the client goes instead.
	Others []string
}

func (e ServerEntry) found() bool { return e.Command != "" }

// Usual reports whether the entry starts the server as Add would: found by its name, for any
// workspace, and with nothing else that the client is told.
func (e ServerEntry) Usual() bool { return e.Command == Program+" serve" && len(e.Others) == 0 }

// Add returns the file with an entry of this server, and that entry. A file that has one
// already is returned as it is. An empty file counts as a missing one. Errors:
// *ClientFileError.
func (c MCPClient) Add(data []byte) (edited []byte, entry ServerEntry, err error) {
	if len(data) > MaxFile {
		return nil, ServerEntry{}, &ClientFileError{Reason: fmt.Sprintf("it is larger than %d KiB", MaxFile>>10)}
	}
	if c.toml {
		return c.addTOML(data)
	}
	return c.addJSON(data)
}

// ours is the first entry whose command is this program, wherever that is; the zero one
// where there is none. One that is not usual goes before those that are.
func (c MCPClient) ours(servers map[string]any) (found ServerEntry) {
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		entry, _ := servers[name].(map[string]any)
		line := append(texts(entry["command"]), texts(entry["args"])...)
		if len(line) == 0 {
			continue
		}
		program := path.Base(strings.ReplaceAll(line[0], `\`, "/"))
		if strings.TrimSuffix(program, ".exe") != Program {
			continue
		}
		one := ServerEntry{Name: name, Command: strings.Join(line, " "), Others: c.others(entry)}
		if !one.Usual() {
			return one
		}
		if !found.found() {
			found = one
		}
	}
	return found
}

// others are the keys of an entry that Add does not write. Any client may have the type: it
// says how the client talks to the server, and not what it starts.
func (c MCPClient) others(entry map[string]any) (keys []string) {
	for _, key := range slices.Sorted(maps.Keys(entry)) {
		if key != "type" && !slices.ContainsFunc(c.fields, func(f field) bool { return f.name == key }) {
			keys = append(keys, key)
		}
	}
	return keys
}

// texts are the values of a list as texts, or the one value that is no list.
func texts(value any) (list []string) {
	items, ok := value.([]any)
	if !ok && value != nil {
		items = []any{value}
	}
	for _, item := range items {
		list = append(list, fmt.Sprint(item))
	}
	return list
}

// newEntry is the entry to add, with a name that none of the servers has.
func newEntry(servers map[string]any) (ServerEntry, error) {
	for _, name := range names {
		if _, taken := servers[name]; !taken {
			return ServerEntry{Name: name, Command: Program + " serve"}, nil
		}
	}
	reason := strings.Join(names, " and ") + " are names of other servers there; rename one of them"
	return ServerEntry{}, &ClientFileError{Reason: reason}
}

// newlineOf is the line end of a file.
func newlineOf(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}
