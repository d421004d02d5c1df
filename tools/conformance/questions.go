package conformance

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"issues-index/tools"
)

// A question is one that a client is asked in the course of a call: from 2026-07-28 on in the
// answer, before by a request of its own, which mcp-go makes of it.
type question struct {
	name       string
	capability string // that the client needs
	add        func(*server.InputRequestBuilder)
	isAnswered func(mcp.InputResponses) bool
}

// elicit asks the user to fill in a form.
func elicit(name, message, properties string, required ...string) question {
	schema := tools.ObjectSchema(properties, required...)
	return question{
		name, "elicitation",
		func(b *server.InputRequestBuilder) {
			b.Elicit(name, mcp.ElicitationParams{Message: message, RequestedSchema: schema})
		},
		func(given mcp.InputResponses) bool {
			answer := server.ElicitationResponse(given, name)
			return answer != nil && answer.Action != ""
		},
	}
}

// sample asks the client's model.
func sample(name, text string) question {
	return question{
		name, "sampling",
		func(b *server.InputRequestBuilder) { b.Sample(name, prompt(text)) },
		func(given mcp.InputResponses) bool { return server.SamplingResponse(given, name) != nil },
	}
}

// prompt is what a client's model is asked.
func prompt(text string) mcp.CreateMessageParams {
	const most = 100 // tokens
	return mcp.CreateMessageParams{
		Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(text)}}, MaxTokens: most,
	}
}

// sampled asks the model of a client up to 2025-11-25 by a request of its own. mcp-go would send
// it on its GET stream, which is not served.
func (a asking) sampled(ctx context.Context, text string) (*mcp.CallToolResult, error) {
	if result, err := a.Ask(ctx, string(mcp.MethodSamplingCreateMessage), prompt(text)); err == nil {
		return mcp.NewToolResultText("LLM response: " + string(result)), nil
	}
	return mcp.NewToolResultError("The client's model gives no answer."), nil
}

// roots asks for the folders that the client has open.
func roots(name string) question {
	return question{
		name, "roots",
		func(b *server.InputRequestBuilder) { b.Roots(name) },
		func(given mcp.InputResponses) bool { return server.RootsResponse(given, name) != nil },
	}
}

// isOffered reports whether the client of a request answers such questions. Up to 2025-11-25
// mcp-go asks, and finds out.
func (q question) isOffered(ctx context.Context) bool {
	info := server.RequestProtocolInfoFromContext(ctx)
	if info == nil || !info.Modern {
		return true
	}
	offers := info.ClientCapabilities
	return offers != nil && map[string]bool{"elicitation": offers.Elicitation != nil, "sampling": offers.Sampling != nil, "roots": offers.Roots != nil}[q.capability]
}

// An asking is a tool that asks, and answers when all is answered.
type asking struct {
	tools.Base
	state string // that comes back with the answers
	whole bool   // all questions are necessary; otherwise those are asked that the client answers
}

// questions are tools that ask their clients.
func questions(base tools.Base) []fixture {
	plain, kept, some := asking{Base: base, whole: true}, asking{Base: base, whole: true, state: "kept"}, asking{Base: base}
	name := elicit("user_name", "What is your name?", `"name":{"type":"string"}`, "name")
	capital := sample("capital_question", "What is the capital of France?")
	return []fixture{
		{
			name: "test_sampling", description: "Asks the client's model.", input: string(tools.ObjectSchema(`"prompt":{"type":"string"}`, "prompt")),
			handle: func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				if !mcp.IsModernProtocol(server.RequestProtocolVersion(ctx)) {
					return plain.sampled(ctx, request.GetString("prompt", ""))
				}
				return plain.asks(sample("answer", request.GetString("prompt", "")))(ctx, request)
			},
		},
		{
			name: "test_elicitation", description: "Asks the user.", input: string(tools.ObjectSchema(`"message":{"type":"string"}`, "message")),
			handle: func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return plain.asks(elicit("answer", request.GetString("message", ""),
					`"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}`,
					"username", "email"))(ctx, request)
			},
		},
		{name: "test_elicitation_sep1034_defaults", description: "Asks the user with defaults.", handle: plain.asks(elicit("answer", "Who are you?",
			`"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},`+
				`"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}`))},
		{name: "test_elicitation_sep1330_enums", description: "Asks the user to choose.", handle: plain.asks(elicit("answer", "What do you choose?",
			`"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},`+
				`"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First"},{"const":"value2","title":"Second"}]},`+
				`"legacyEnum":{"type":"string","enum":["opt1","opt2"],"enumNames":["First","Second"]},`+
				`"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},`+
				`"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First"},{"const":"value2","title":"Second"}]}}`))},
		{name: "test_streaming_elicitation", description: "Asks the user.", handle: plain.asks(name)},
		{name: "test_missing_capability", description: "Asks the client's model.", handle: plain.asks(capital)},
		{name: "test_input_required_result_elicitation", description: "Asks the user.", handle: plain.asks(name)},
		{name: "test_input_required_result_sampling", description: "Asks the client's model.", handle: plain.asks(capital)},
		{name: "test_input_required_result_list_roots", description: "Asks for open folders.", handle: plain.asks(roots("client_roots"))},
		{
			name: "test_input_required_result_request_state", description: "Asks the user, and has its state back.",
			handle: kept.asks(elicit("confirm", "Please confirm", `"ok":{"type":"boolean"}`, "ok")),
		},
		{
			name: "test_input_required_result_multiple_inputs", description: "Asks three questions at once.",
			handle: kept.asks(name, sample("greeting", "Generate a greeting"), roots("client_roots")),
		},
		{name: "test_input_required_result_multi_round", description: "Asks two questions, one after the other.", handle: inTurn},
		{name: "test_input_required_result_capabilities", description: "Asks what the client answers.", handle: some.asks(name, capital)},
	}
}

// asks returns a handler that asks until all is answered.
func (a asking) asks(all ...question) server.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		given := request.Params.InputResponses
		if request.Params.RequestState != a.state {
			given = nil // they are no answers to this question
		}
		ask, open := server.NewInputRequestBuilder(a.state), false
		for _, q := range all {
			switch {
			case q.isAnswered(given):
				continue
			case q.isOffered(ctx):
				q.add(ask)
				open = true
			case a.whole:
				return nil, a.Fail(ctx, mcp.NewJSONRPCErrorDetails(mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, "The client does not offer "+q.capability+".",
					map[string]any{"requiredCapabilities": map[string]any{q.capability: map[string]any{}}}))
			}
		}
		if open {
			return ask.ToolResult(), nil
		}
		answers, err := json.Marshal(given)
		if err != nil {
			return nil, fmt.Errorf("repeat the answers: %w", err)
		}
		text := "The answers are " + string(answers) + "."
		if a.state != "" {
			text += " state-ok"
		}
		return mcp.NewToolResultText(text), nil
	}
}

// inTurn asks one question after the other. The state says which of them has been asked.
func inTurn(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	first := elicit("step1", "Step 1: What is your name?", `"name":{"type":"string"}`, "name")
	second := elicit("step2", "Step 2: What is your favorite color?", `"color":{"type":"string"}`, "color")
	given, state := request.Params.InputResponses, request.Params.RequestState
	ask := server.NewInputRequestBuilder("first")
	switch {
	case state == "second" && second.isAnswered(given):
		return mcp.NewToolResultText("Both questions are answered."), nil
	case state == "first" && first.isAnswered(given):
		ask.RequestState("second")
		second.add(ask)
	default:
		first.add(ask)
	}
	return ask.ToolResult(), nil
}
