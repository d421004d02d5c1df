package clientfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"pgregory.net/rapid"

	"issues-index/tools/clientfile"
)

func client(t testing.TB, name string) clientfile.MCPClient {
	t.Helper()
	i := slices.IndexFunc(clientfile.MCPClients, func(c clientfile.MCPClient) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no client is called %s", name)
	}
	return clientfile.MCPClients[i]
}

const ofClaude = `{
  "mcpServers": {
    "issues": {
      "command": "issues-index",
      "args": ["serve"]
    }
  }
}
`

func TestAddToAFileThatIsNotThere(t *testing.T) {
	for name, want := range map[string]string{
		"claude": ofClaude, "cursor": ofClaude, "gemini": ofClaude,
		"codex":    "[mcp_servers.issues]\ncommand = \"issues-index\"\nargs = [\"serve\"]\n",
		"vscode":   "{\n  \"servers\": {\n    \"issues\": {\n      \"type\": \"stdio\",\n      \"command\": \"issues-index\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n",
		"zed":      strings.Replace(ofClaude, "mcpServers", "context_servers", 1),
		"opencode": "{\n  \"mcp\": {\n    \"issues\": {\n      \"type\": \"local\",\n      \"command\": [\"issues-index\", \"serve\"]\n    }\n  }\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, entry, err := client(t, name).Add(nil)
			if err != nil || string(got) != want || entry.Name != "issues" || !entry.Usual() {
				t.Errorf("%v, %v:\n%s\nwant\n%s", err, entry, got, want)
			}
		})
	}
	t.Run("every client is tested", func(t *testing.T) {
		if len(clientfile.MCPClients) != 7 {
			t.Error("add the new client above")
		}
	})
}

// An edit puts the entry where a person would, in the way that the file is written.
func TestAddKeepsTheFile(t *testing.T) {
	for name, test := range map[string]struct{ client, file, want string }{
		"comments and a trailing comma": {
			"vscode",
			"{\n\t// Ours.\n\t\"servers\": {\n\t\t\"a\": {\"command\": \"a\"}, // the first\n\t\t/* none */\n\t},\n}\n",
			"{\n\t// Ours.\n\t\"servers\": {\n\t\t\"a\": {\"command\": \"a\"}, // the first\n\t\t/* none */\n\t\t\"issues\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"issues-index\",\n\t\t\t\"args\": [\"serve\"]\n\t\t},\n\t},\n}\n",
		},
		"a comment behind the last value": {
			"zed",
			"{\n    \"theme\": \"One\" // dark\n}",
			"{\n    \"theme\": \"One\", // dark\n    \"context_servers\": {\n        \"issues\": {\n            \"command\": \"issues-index\",\n            \"args\": [\"serve\"]\n        }\n    }\n}",
		},
		"one line": {
			"cursor",
			`{"mcpServers":{"a":{"url":"x"}},"b":1}`,
			`{"mcpServers":{"a":{"url":"x"}, "issues": {"command": "issues-index", "args": ["serve"]}},"b":1}`,
		},
		"CRLF and a byte order mark": {
			"claude",
			"\ufeff{\r\n  \"mcpServers\": {}\r\n}\r\n",
			"\ufeff{\r\n  \"mcpServers\": {\r\n    \"issues\": {\r\n      \"command\": \"issues-index\",\r\n      \"args\": [\"serve\"]\r\n    }\r\n  }\r\n}\r\n",
		},
		"an empty block with a comment": {
			"zed",
			"{\n  \"context_servers\": {\n    // none yet\n  }\n}\n",
			"{\n  \"context_servers\": {\n    // none yet\n    \"issues\": {\n      \"command\": \"issues-index\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n",
		},
		"servers one block further in": {
			"opencode",
			"{\n  \"mcp\": {\n    \"timeout\": 5,\n    \"servers\": {}\n  }\n}\n",
			"{\n  \"mcp\": {\n    \"timeout\": 5,\n    \"servers\": {\n      \"issues\": {\n        \"type\": \"local\",\n        \"command\": [\"issues-index\", \"serve\"]\n      }\n    }\n  }\n}\n",
		},
		"a table behind others": {
			"codex",
			"model = \"x\" # mine\n\n[mcp_servers.a]\ncommand = \"a\"",
			"model = \"x\" # mine\n\n[mcp_servers.a]\ncommand = \"a\"\n\n[mcp_servers.issues]\ncommand = \"issues-index\"\nargs = [\"serve\"]\n",
		},
		"the name is another server's": {
			"codex",
			"[mcp_servers.issues]\nurl = \"https://example.org\"\n",
			"[mcp_servers.issues]\nurl = \"https://example.org\"\n\n[mcp_servers.issues-index]\ncommand = \"issues-index\"\nargs = [\"serve\"]\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := client(t, test.client).Add([]byte(test.file))
			if err != nil || string(got) != test.want {
				t.Errorf("%v:\n%s\nwant\n%s", err, got, test.want)
			}
			again, _, err := client(t, test.client).Add(got)
			if err != nil || !bytes.Equal(again, got) {
				t.Errorf("the second time: %v:\n%s", err, again)
			}
		})
	}
}

// A file that has the server already is not touched, however it names or starts it.
func TestAddFindsAnEntryThatIsThere(t *testing.T) {
	for name, file := range map[string]string{
		"claude":   `{"mcpServers": {"tracker": {"command": "/usr/local/bin/issues-index", "args": ["serve", "--workspace", "."]}}}`,
		"vscode":   `{"servers": {"x": {"command": "C:\\bin\\issues-index.exe"}}, /* old */}`,
		"opencode": `{"mcp": {"issues": {"type": "local", "command": ["./issues-index", "serve"]}}}`,
		"codex":    "mcp_servers = { issues = { command = \"issues-index\" } }",
	} {
		got, entry, err := client(t, name).Add([]byte(file))
		if err != nil || string(got) != file || entry.Name == "" || entry.Usual() {
			t.Errorf("%s: %v, %v: %s", name, err, entry, got)
		}
	}
}

// An entry is called usual only if it has nothing but what Add writes, and a type: each other
// key can make the client run another program, or reach another server.
func TestAnEntryWithAnyOtherKeyIsNotUsual(t *testing.T) {
	values := map[string]any{
		"env": map[string]any{"PATH": "./bin:/usr/bin"}, "environment": map[string]any{"PATH": "./bin"},
		"cwd": "./bin", "envFile": "./evil.env", "env_file": "./evil.env", "url": "https://example.org", "httpUrl": "https://example.org",
		"headers": map[string]any{"a": "b"}, "trust": true, "shell": "/bin/sh", "Command": "sh", "": "x",
	}
	for _, c := range clientfile.MCPClients {
		usual, entry, err := c.Add(nil)
		if err != nil || !entry.Usual() {
			t.Fatal(c.Name, err, entry)
		}
		for key, value := range values {
			for _, second := range []bool{false, true} { // behind an entry that is usual
				file := withKey(t, c, usual, key, value, second)
				got, entry, err := c.Add(file)
				if err != nil || !bytes.Equal(got, file) || entry.Usual() || !slices.Equal(entry.Others, []string{key}) {
					t.Errorf("%s, %q: %v, %+v in\n%s", c.Name, key, err, entry, file)
				}
			}
		}
		typed := withKey(t, c, usual, "type", "stdio", false)
		if _, entry, err := c.Add(typed); err != nil || !entry.Usual() {
			t.Errorf("%s: %v, %+v in\n%s", c.Name, err, entry, typed)
		}
	}
}

// withKey is a file whose entry has one more key, or which has a second entry with it.
func withKey(t *testing.T, c clientfile.MCPClient, file []byte, key string, value any, second bool) []byte {
	t.Helper()
	all := read(t, c, file)
	for _, block := range all {
		servers := block.(map[string]any)
		entry := servers["issues"].(map[string]any)
		if second {
			entry = maps.Clone(entry)
			servers["z"] = entry
		}
		entry[key] = value
	}
	marshal := json.Marshal
	if c.Name == "codex" {
		marshal = toml.Marshal
	}
	data, err := marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestAddRefuses(t *testing.T) {
	for name, test := range map[string]struct{ client, file, reason string }{
		"no JSON":                              {"cursor", "{\n  \"a\": \n}", "line 3"},
		"a list":                               {"cursor", "[]", "not one object"},
		"servers that are a list":              {"gemini", `{"mcpServers": []}`, `"mcpServers" is not an object`},
		"comments where the client reads none": {"claude", "{} // mine", "comments"},
		"no TOML":                              {"codex", "a = 1\na = 2\n", "it is no TOML"},
		"a closed table":                       {"codex", "mcp_servers = { a = { command = \"a\" } }\n", "by hand"},
		"both names taken":                     {"codex", "[mcp_servers.issues]\nurl=\"a\"\n[mcp_servers.issues-index]\nurl=\"a\"\n", "rename one"},
		"a file that is too large":             {"zed", "{}" + strings.Repeat(" ", clientfile.MaxFile), "256 KiB"},
		"blocks without end":                   {"zed", strings.Repeat("[", clientfile.MaxFile-1), "no JSON"},
		"a word where a value stands":          {"vscode", `{"servers": null}`, "not an object"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := client(t, test.client).Add([]byte(test.file))
			if invalid := (*clientfile.ClientFileError)(nil); !errors.As(err, &invalid) || !strings.Contains(err.Error(), test.reason) || got != nil {
				t.Errorf("%v, want %s; %q", err, test.reason, got)
			}
		})
	}
}

// Whatever an object of JSON with comments looks like, an edit adds the entry and takes away
// nothing: every byte of the file is in the result, in its order.
func TestAddOnlyInserts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(clientfile.MCPClients).Draw(t, "client")
		if c.Name == "claude" || c.Name == "codex" {
			return
		}
		checkEdit(t, c, []byte(drawObject(t, 0)))
	})
}

// drawObject writes an object with members, blanks and comments of all kinds.
func drawObject(t *rapid.T, depth int) string {
	blank := rapid.SampledFrom([]string{"", "", " ", "\n", "\n  ", "\r\n\t", " // note\n", " /* a */ ", "/* b\n c */\n"})
	names := []string{"servers", "mcpServers", "context_servers", "mcp", "a", "b", "issues"}
	text := "{"
	n := rapid.IntRange(0, 3).Draw(t, "members")
	for i := range n {
		value := rapid.SampledFrom([]string{"1", `"x"`, "[1, 2]", "{}", "null"}).Draw(t, "value")
		if depth < 3 && rapid.Bool().Draw(t, "deeper") {
			value = drawObject(t, depth+1)
		}
		text += blank.Draw(t, "") + `"` + rapid.SampledFrom(names).Draw(t, "name") + `"` + blank.Draw(t, "") + ":" + blank.Draw(t, "") + value + blank.Draw(t, "")
		if i < n-1 || rapid.Bool().Draw(t, "trailing") {
			text += ","
		}
	}
	return text + blank.Draw(t, "") + "}"
}

// checkEdit holds an edit to what the package promises.
func checkEdit(t interface {
	Fatalf(format string, args ...any)
}, c clientfile.MCPClient, file []byte) {
	got, entry, err := c.Add(file)
	if invalid := (*clientfile.ClientFileError)(nil); errors.As(err, &invalid) {
		return
	}
	if err != nil {
		t.Fatalf("%v: %q", err, file)
	}
	if said := bytes.TrimSpace(bytes.TrimPrefix(file, []byte("\ufeff"))); !isSubsequence(file, got) && len(said) > 2 {
		t.Fatalf("something is gone:\n%s\nbecame\n%s", file, got)
	}
	again, _, err := c.Add(got)
	if err != nil || !bytes.Equal(again, got) {
		t.Fatalf("the second time: %v:\n%s\nbecame\n%s", err, got, again)
	}
	if bytes.Equal(got, file) {
		return
	}
	before, after := read(t, c, file), read(t, c, got)
	if !without(after, before, entry.Name) {
		t.Fatalf("another value changed:\n%s\nbecame\n%s", file, got)
	}
}

// isSubsequence reports whether all of a is in b, in its order; blanks may differ.
func isSubsequence(a, b []byte) bool {
	i := 0
	for _, c := range a {
		if strings.ContainsRune(" \t\r\n", rune(c)) {
			continue
		}
		for i < len(b) && b[i] != c {
			i++
		}
		if i == len(b) {
			return false
		}
		i++
	}
	return true
}

func read(t interface {
	Fatalf(format string, args ...any)
}, c clientfile.MCPClient, file []byte) map[string]any {
	var all map[string]any
	var err error
	if c.Name == "codex" {
		err = toml.Unmarshal(file, &all)
	} else {
		text := bytes.TrimPrefix(bytes.Clone(file), []byte("\ufeff"))
		if len(bytes.TrimSpace(text)) == 0 {
			text = []byte("{}")
		}
		if text, err = hujson.Standardize(append(text, '\n')); err == nil { // the parser wants one behind a comment
			err = json.Unmarshal(text, &all)
		}
	}
	if err != nil {
		t.Fatalf("%v:\n%s", err, file)
	}
	return all
}

// without reports whether after is before and an entry of this name.
func without(after, before map[string]any, name string) bool {
	if reflect.DeepEqual(after, before) {
		return false
	}
	for key, value := range after {
		was, there := before[key]
		if reflect.DeepEqual(value, was) && there {
			continue
		}
		block, isBlock := value.(map[string]any)
		if key == name {
			if there || !isBlock {
				return false
			}
			continue
		}
		old, _ := was.(map[string]any)
		if !isBlock || there && old == nil || !without(block, old, name) {
			return false
		}
	}
	for key := range before {
		if _, there := after[key]; !there {
			return false
		}
	}
	return true
}

func FuzzAdd(f *testing.F) {
	for _, file := range []string{"", "{}", ofClaude, "{\n \"servers\": {\"a\": 1,}, // x\n}", "[mcp_servers.a]\ncommand = 'x'\n", "\ufeff{}", "{\"mcp\": {\"servers\": {}}}", `{"mcpServers":{"":{"command":"issues-index"}}}`} {
		for i := range clientfile.MCPClients {
			f.Add(i, []byte(file))
		}
	}
	f.Fuzz(func(t *testing.T, i int, file []byte) {
		if i < 0 || i >= len(clientfile.MCPClients) {
			return
		}
		checkEdit(t, clientfile.MCPClients[i], file)
	})
}
