package tools

import (
	"context"
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/tools/auth"
)

// A ClientProfile is how the answers for one client should look, so that its model
// sees each of them whole and pays for it once.
type ClientProfile struct {
	Title string // for people
	// Names are what the client calls itself in clientInfo, folded as foldClient
	// does. A name also fits when it begins with one of these and goes on after a
	// separator, as "Visual Studio Code - Insiders" does.
	Names  []string
	Output Output
	// Bytes is the longest answer that the client shows whole, in UTF-8 and with room for
	// what it puts around it; 0 where no end was met. Longer ones it cuts, or saves to a
	// file of which it shows the beginning.
	Bytes int
	// Shows is what the model sees of an answer that is sent in both forms.
	Shows string
	// SessionEnv is the environment variable with the id of the conversation, where the client
	// sets one. Its hooks get the id in their input.
	SessionEnv string
}

// Session is the id of the conversation in the environment of a process that the client has
// started, "" where there is none.
func (c ClientProfile) Session(getenv func(string) string) string {
	if c.SessionEnv == "" || getenv == nil {
		return ""
	}
	return getenv(c.SessionEnv)
}

const (
	showsText       = "the text"
	showsJSON       = "the text, as JSON"
	showsStructured = "the structured form, as JSON"
	showsBoth       = "both, so it pays twice"
)

// clientProfiles are the clients that were driven end to end or, for VS Code and crush,
// read in source; of Cursor and Zed only reports are known. Text is whole in all of
// them, and nowhere dearer than another form.
var clientProfiles = []ClientProfile{
	{Title: "Claude Code", Names: []string{"claude code"}, Output: OutputText, Bytes: 49_000, Shows: showsStructured,
		SessionEnv: "CLAUDE_CODE_SESSION_ID"},
	{Title: "Codex CLI", Names: []string{"codex mcp client", "codex"}, Output: OutputText,
		Shows: "the structured form, as JSON; newer models get both", SessionEnv: "CODEX_THREAD_ID"},
	{Title: "VS Code", Names: []string{"visual studio code", "vscode", "code oss", "vscodium"}, Output: OutputText,
		Bytes: 8_000, Shows: showsStructured},
	{Title: "Copilot CLI", Names: []string{"github copilot developer", "github copilot cli", "copilot cli"},
		Output: OutputText, Bytes: 19_000, Shows: showsBoth},
	{Title: "Qwen Code", Names: []string{"qwen code", "qwen cli", "qwen"}, Output: OutputText, Bytes: 24_000,
		Shows: showsBoth},
	{Title: "Kimi Code", Names: []string{"kimi code", "kimi cli", "kimi"}, Output: OutputText, Bytes: 49_000,
		Shows: showsBoth},
	{Title: "Cline", Names: []string{"cline"}, Output: OutputText, Bytes: 7_000, Shows: showsBoth +
		"; cut at 8,000 characters"},
	{Title: "mcphost", Names: []string{"mcphost"}, Output: OutputText, Shows: showsBoth},
	{Title: "LangChain MCP adapters", Names: []string{"langchain mcp adapter", "langchain mcp adapters"},
		Output: OutputText, Shows: showsBoth},
	{Title: "Gemini CLI", Names: []string{"gemini cli mcp client", "gemini cli"}, Output: OutputText, Bytes: 39_000,
		Shows: showsText},
	{Title: "opencode", Names: []string{"opencode"}, Output: OutputText, Bytes: 50_000, Shows: showsText},
	{Title: "Factory droid", Names: []string{"factory cli", "factory droid", "droid"}, Output: OutputText,
		Shows: showsText},
	{Title: "Continue", Names: []string{"continue cli client", "continue client", "continue"}, Output: OutputText,
		Shows: showsJSON},
	{Title: "AI SDK", Names: []string{"ai sdk mcp client", "ai sdk"}, Output: OutputText, Shows: showsJSON},
	{Title: "OpenAI Agents SDK", Names: []string{"stdio"}, Output: OutputText, Shows: showsText},
	{Title: "crush", Names: []string{"crush"}, Output: OutputText, Shows: showsText},
	{Title: "Zed", Names: []string{"zed"}, Output: OutputText, Shows: showsText},
	{Title: "Cursor", Names: []string{"cursor"}, Output: OutputText, Shows: "one of them; reports differ"},
}

// ClientProfiles are the clients that [OutputAuto] knows.
func ClientProfiles() []ClientProfile { return clientProfiles }

// UnknownClient is how every other client is answered.
func UnknownClient() ClientProfile {
	return ClientProfile{Title: "any other", Output: OutputBoth, Shows: "not known"}
}

// lastProfile is the last answer of ProfileOf: most servers have one client.
var lastProfile atomic.Pointer[namedProfile]

type namedProfile struct {
	name    string
	profile ClientProfile
}

// ProfileOf is the profile of the client that calls itself so.
func ProfileOf(name string) ClientProfile {
	last := lastProfile.Load()
	if last == nil || last.name != name {
		last = &namedProfile{name, findProfile(foldClient(name))}
		lastProfile.Store(last)
	}
	return last.profile
}

func findProfile(name string) ClientProfile {
	for _, profile := range clientProfiles {
		for _, known := range profile.Names {
			if name == known || strings.HasPrefix(name, known+" ") || name == strings.ReplaceAll(known, " ", "") {
				return profile
			}
		}
	}
	return UnknownClient()
}

// foldClient is the form in which the spellings of a client's name are equal: lower
// case, with one space wherever there is anything but letters and digits.
func foldClient(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}

// client is who sends a request: the request says so itself in the revisions that have no
// handshake. Its name is "" when it never said.
func (r *request) client() mcp.Implementation {
	if client := r.meta.ClientInfo(); client != nil {
		return *client
	}
	info, _ := r.conn.Client().said()
	return info
}

// outputFor is the form of the answers to a client.
func (s *Server) outputFor(r *request) Output {
	if s.output != OutputAuto {
		return s.output
	}
	// What was listed with an output schema has to be answered with structured content:
	// clients hold answers to the schema.
	if r.conn.Client().hasSchemas() {
		return OutputBoth
	}
	return ProfileOf(r.client().Name).Output
}

// hasSchemas reports whether the client has no name and was told output schemas.
func (c *Client) hasSchemas() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sentSchemas
}

// listTools lists the tools that the caller may call, on one page: a cursor counts for nothing.
// A client that is answered without structured content gets no output schemas.
func (s *Server) listTools(ctx context.Context, r *request) (any, error) {
	subject := auth.PrincipalOf(ctx)
	if client, nameless := r.conn.Client(), r.client().Name == ""; !client.Shared {
		client.mu.Lock()
		client.sentSchemas = nameless
		client.mu.Unlock()
	}
	list := make([]mcp.Tool, 0, len(s.definitions))
	for _, definition := range s.definitions {
		if !subject.May(s.ScopeOf(definition.Name)) {
			continue
		}
		if s.outputFor(r) == OutputText {
			definition.RawOutputSchema = nil
		}
		list = append(list, definition)
	}
	return &mcp.ListToolsResult{Tools: list}, nil
}
