package main

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/tools"
)

// The smallest files of their kinds: a grey dot, and half a millisecond of silence.
const (
	picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg=="
	sound   = "UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACAgICA"

	pictureType = "image/png"
	pictureSize = 67 // bytes
)

// A suiteFixture is a tool or a prompt that no type of package tools can express.
type suiteFixture struct {
	name, description string
	input             string // a JSON schema; "" takes no arguments
	handle            func(ctx context.Context, c suiteCall) (any, *tools.ProtocolError)
}

// always returns a handler with one answer.
func always(content ...mcp.Content) func(context.Context, suiteCall) (any, *tools.ProtocolError) {
	return func(context.Context, suiteCall) (any, *tools.ProtocolError) {
		return &mcp.CallToolResult{Content: content}, nil
	}
}

func contents() []suiteFixture {
	embedded := func(uri, mime, text string) mcp.Content {
		return mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: text})
	}
	return []suiteFixture{
		{name: "test_image_content", description: "Answers with a picture.", handle: always(mcp.NewImageContent(picture, pictureType))},
		{name: "test_audio_content", description: "Answers with a sound.", handle: always(mcp.NewAudioContent(sound, "audio/wav"))},
		{
			name: "test_embedded_resource", description: "Answers with a resource.",
			handle: always(embedded(suiteScheme+"embedded-resource", "text/plain", "This is an embedded resource content.")),
		},
		{
			name: "test_multiple_content_types", description: "Answers with a text, a picture and a resource.",
			handle: always(mcp.NewTextContent("Multiple content types test:"), mcp.NewImageContent(picture, pictureType),
				embedded(suiteScheme+"mixed-content-resource", "application/json", `{"test":"data","value":123}`)),
		},
	}
}

// logs are tools that log to the client, as far as it wants to know.
func logs() []suiteFixture {
	handle := func(_ context.Context, c suiteCall) (any, *tools.ProtocolError) {
		for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			if c.level != "" && mcp.LoggingLevelInfo.ShouldSendTo(c.level) {
				c.conn.Notify(string(mcp.MethodNotificationMessage), map[string]any{"level": mcp.LoggingLevelInfo, "logger": "conformance", "data": line})
			}
		}
		return mcp.NewToolResultText("All is done."), nil
	}
	return []suiteFixture{
		{name: "test_tool_with_logging", description: "Logs three lines to the client.", handle: handle},
		{name: "test_logging_tool", description: "Logs three lines to the client, too.", handle: handle},
	}
}

// schemas are tools whose schemas clients have to get as they are.
func schemas() []suiteFixture {
	return []suiteFixture{
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
	}
}

// suitePromptFixtures are those whose messages are no texts, and one that asks before it is made.
func suitePromptFixtures() []suiteFixture {
	messages := func(contents ...mcp.Content) (any, *tools.ProtocolError) {
		result := &mcp.GetPromptResult{}
		for _, content := range contents {
			result.Messages = append(result.Messages, mcp.NewPromptMessage(mcp.RoleUser, content))
		}
		return result, nil
	}
	about := elicit("user_context", "What context should the prompt use?", `"context":{"type":"string"}`, "context")
	return []suiteFixture{
		{name: "test_prompt_with_image", description: "A picture and a text.", handle: func(context.Context, suiteCall) (any, *tools.ProtocolError) {
			return messages(mcp.NewImageContent(picture, pictureType), mcp.NewTextContent("Please analyze the image above."))
		}},
		{
			name: "test_prompt_with_embedded_resource", description: "A resource and a text.", input: "resourceUri",
			handle: func(_ context.Context, c suiteCall) (any, *tools.ProtocolError) {
				return messages(
					mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: c.text("resourceUri"), MIMEType: "text/plain", Text: "Embedded resource content for testing."}),
					mcp.NewTextContent("Please process the embedded resource above."))
			},
		},
		{name: "test_input_required_result_prompt", description: "A text that needs an answer of the user.", handle: func(_ context.Context, c suiteCall) (any, *tools.ProtocolError) {
			if !about.isAnswered(c.InputResponses) {
				return mcp.NewInputRequiredResult(mcp.InputRequests{about.name: about.request}, ""), nil
			}
			return messages(mcp.NewTextContent("The user has given the context."))
		}},
	}
}

// text is an argument.
func (c suiteCall) text(name string) string {
	var given map[string]any
	_ = json.Unmarshal(c.Arguments, &given)
	text, _ := given[name].(string)
	return text
}
