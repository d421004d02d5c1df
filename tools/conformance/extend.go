package conformance

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"issues-index/tools"
)

// The smallest files of their kinds: a grey dot, and half a millisecond of silence.
const (
	picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg=="
	sound   = "UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACAgICA"

	pictureType = "image/png"
	pictureSize = 67 // bytes
)

// A fixture is a tool of the server below.
type fixture struct {
	name, description string
	input             string // a JSON schema; "" takes no arguments
	handle            server.ToolHandlerFunc
}

// Extend adds what no type of package tools can express: contents that are no text, logging,
// questions to clients, and schemas and headers that our tools do not use.
func Extend(base tools.Base) {
	server.WithLogging()(base.MCPServer)
	for _, list := range [][]fixture{contents(), logs(base), schemas(), questions(base)} {
		for _, f := range list {
			if f.input == "" {
				f.input = noArguments
			}
			base.AddTool(mcp.NewToolWithRawSchema(f.name, f.description, json.RawMessage(f.input)), f.handle)
		}
	}
	base.AddResource(mcp.NewResource(binary, "static-binary"), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.BlobResourceContents{URI: binary, MIMEType: pictureType, Blob: picture}}, nil
	})
	addPrompts(base)
}

// always returns a handler with one answer.
func always(content ...mcp.Content) server.ToolHandlerFunc {
	return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: content}, nil
	}
}

func contents() []fixture {
	embedded := func(uri, mime, text string) mcp.Content {
		return mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: text})
	}
	return []fixture{
		{name: "test_image_content", description: "Answers with a picture.", handle: always(mcp.NewImageContent(picture, pictureType))},
		{name: "test_audio_content", description: "Answers with a sound.", handle: always(mcp.NewAudioContent(sound, "audio/wav"))},
		{
			name: "test_embedded_resource", description: "Answers with a resource.",
			handle: always(embedded(scheme+"embedded-resource", "text/plain", "This is an embedded resource content.")),
		},
		{
			name: "test_multiple_content_types", description: "Answers with a text, a picture and a resource.",
			handle: always(mcp.NewTextContent("Multiple content types test:"), mcp.NewImageContent(picture, pictureType),
				embedded(scheme+"mixed-content-resource", "application/json", `{"test":"data","value":123}`)),
		},
	}
}

// logs are tools that log to the client, as far as it wants to know.
func logs(base tools.Base) []fixture {
	handle := func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			if wanted := logLevel(ctx); wanted != "" && mcp.LoggingLevelInfo.ShouldSendTo(wanted) {
				base.Notify(ctx, string(mcp.MethodNotificationMessage), map[string]any{"level": mcp.LoggingLevelInfo, "logger": "conformance", "data": line})
			}
		}
		return mcp.NewToolResultText("All is done."), nil
	}
	return []fixture{
		{name: "test_tool_with_logging", description: "Logs three lines to the client.", handle: handle},
		{name: "test_logging_tool", description: "Logs three lines to the client, too.", handle: handle},
	}
}

// logLevel is what a client wants to have logged, "" for nothing. One of 2026-07-28 says so in
// each request, an earlier one for its session.
func logLevel(ctx context.Context) mcp.LoggingLevel {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		return info.LogLevel
	}
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithLogging); ok {
		return session.GetLogLevel()
	}
	return ""
}

// schemas are tools whose schemas clients have to get as they are.
func schemas() []fixture {
	return []fixture{
		{
			name: "json_schema_2020_12_tool", description: "Has a schema with all that JSON Schema has.",
			input: `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
				`"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},` +
				`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},` +
				`"phone":{"type":"string"},"email":{"type":"string"}},` +
				`"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],` +
				`"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},` +
				`"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`,
			handle: always(mcp.NewTextContent("The arguments are taken.")),
		},
		{
			name: "test_header_argument", description: "Takes an argument that is in a header of HTTP, too.",
			input:  `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},"required":["region"]}`,
			handle: always(mcp.NewTextContent("The header is that of the argument.")),
		},
	}
}

// addPrompts adds the prompts whose messages are no texts, and one that asks before it is made.
func addPrompts(base tools.Base) {
	message := func(content mcp.Content) mcp.PromptMessage { return mcp.NewPromptMessage(mcp.RoleUser, content) }
	base.AddPrompt(mcp.NewPrompt("test_prompt_with_image", mcp.WithPromptDescription("A picture and a text.")),
		func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return mcp.NewGetPromptResult("", []mcp.PromptMessage{
				message(mcp.NewImageContent(picture, pictureType)), message(mcp.NewTextContent("Please analyze the image above.")),
			}), nil
		})
	const uri = "resourceUri"
	base.AddPrompt(mcp.NewPrompt("test_prompt_with_embedded_resource", mcp.WithPromptDescription("A resource and a text."),
		mcp.WithArgument(uri, mcp.ArgumentDescription("the URI of the resource"), mcp.RequiredArgument())),
		func(_ context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return mcp.NewGetPromptResult("", []mcp.PromptMessage{
				message(mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: request.Params.Arguments[uri], MIMEType: "text/plain", Text: "Embedded resource content for testing."})),
				message(mcp.NewTextContent("Please process the embedded resource above.")),
			}), nil
		})
	about := elicit("user_context", "What context should the prompt use?", `"context":{"type":"string"}`, "context")
	base.AddPrompt(mcp.NewPrompt("test_input_required_result_prompt", mcp.WithPromptDescription("A text that needs an answer of the user.")),
		func(_ context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if !about.isAnswered(request.Params.InputResponses) {
				ask := server.NewInputRequestBuilder("")
				about.add(ask)
				return ask.PromptResult(), nil
			}
			return mcp.NewGetPromptResult("", []mcp.PromptMessage{message(mcp.NewTextContent("The user has given the context."))}), nil
		})
}
