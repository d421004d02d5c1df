package main

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/tools"
)

// A question is one that a client is asked in the course of a call: from 2026-07-28 on in the
// answer, before by a request of its own.
type question struct {
	name       string
	capability string // that the client needs
	request    mcp.InputRequest
}

// isAnswered reports whether an answer has the form of the question.
func (q question) isAnswered(given mcp.InputResponses) bool {
	answer, ok := given[q.name]
	if !ok || answer.DecodeFor(q.request.Method) != nil {
		return false
	}
	return answer.Elicitation != nil && answer.Elicitation.Action != "" || answer.Sampling != nil || answer.Roots != nil
}

// elicit asks the user to fill in a form.
func elicit(name, message, properties string, required ...string) question {
	return question{name, "elicitation", mcp.NewElicitationInputRequest(mcp.ElicitationParams{
		Message: message, RequestedSchema: tools.ObjectSchema(properties, required...),
	})}
}

// sample asks the client's model.
func sample(name, text string) question {
	const most = 100 // tokens
	return question{name, "sampling", mcp.NewSamplingInputRequest(mcp.CreateMessageParams{
		Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(text)}}, MaxTokens: most,
	})}
}

// roots asks for the folders that the client has open.
func roots(name string) question {
	return question{name, "roots", mcp.NewRootsInputRequest()}
}

// isOffered reports whether the client of a call answers such questions. One up to 2025-11-25 is
// asked, and refuses.
func (q question) isOffered(c suiteCall) bool {
	if !c.modern {
		return true
	}
	offers := c.Meta.ClientCapabilities()
	return offers != nil && map[string]bool{"elicitation": offers.Elicitation != nil, "sampling": offers.Sampling != nil, "roots": offers.Roots != nil}[q.capability]
}

// An asking is a tool that asks, and answers when all is answered.
type asking struct {
	state string // that comes back with the answers
	whole bool   // all questions are necessary; otherwise those are asked that the client answers
}

// asks are tools that ask their clients.
func asks() []suiteFixture {
	plain, kept, some := asking{whole: true}, asking{whole: true, state: "kept"}, asking{}
	name := elicit("user_name", "What is your name?", `"name":{"type":"string"}`, "name")
	capital := sample("capital_question", "What is the capital of France?")
	return []suiteFixture{
		{
			name: "test_sampling", description: "Asks the client's model.", input: string(tools.ObjectSchema(`"prompt":{"type":"string"}`, "prompt")),
			handle: func(ctx context.Context, c suiteCall) (any, *tools.ProtocolError) {
				return plain.asks(sample("answer", c.text("prompt")))(ctx, c)
			},
		},
		{
			name: "test_elicitation", description: "Asks the user.", input: string(tools.ObjectSchema(`"message":{"type":"string"}`, "message")),
			handle: func(ctx context.Context, c suiteCall) (any, *tools.ProtocolError) {
				return plain.asks(elicit("answer", c.text("message"),
					`"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}`,
					"username", "email"))(ctx, c)
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
func (a asking) asks(all ...question) func(context.Context, suiteCall) (any, *tools.ProtocolError) {
	return func(_ context.Context, c suiteCall) (any, *tools.ProtocolError) {
		given := c.InputResponses
		if c.RequestState != a.state {
			given = nil // they are no answers to this question
		}
		open := mcp.InputRequests{}
		for _, q := range all {
			switch {
			case q.isAnswered(given):
				continue
			case q.isOffered(c):
				open[q.name] = q.request
			case a.whole:
				return nil, &tools.ProtocolError{
					Code: mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, Message: "The client does not offer " + q.capability + ".",
					Data: map[string]any{"requiredCapabilities": map[string]any{q.capability: map[string]any{}}},
				}
			}
		}
		if len(open) > 0 {
			return mcp.NewInputRequiredResult(open, a.state), nil
		}
		answers, err := json.Marshal(given)
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		text := "The answers are " + string(answers) + "."
		if a.state != "" {
			text += " state-ok"
		}
		return mcp.NewToolResultText(text), nil
	}
}

// inTurn asks one question after the other. The state says which of them has been asked.
func inTurn(_ context.Context, c suiteCall) (any, *tools.ProtocolError) {
	first := elicit("step1", "Step 1: What is your name?", `"name":{"type":"string"}`, "name")
	second := elicit("step2", "Step 2: What is your favorite color?", `"color":{"type":"string"}`, "color")
	switch {
	case c.RequestState == "second" && second.isAnswered(c.InputResponses):
		return mcp.NewToolResultText("Both questions are answered."), nil
	case c.RequestState == "first" && first.isAnswered(c.InputResponses):
		return mcp.NewInputRequiredResult(mcp.InputRequests{second.name: second.request}, "second"), nil
	}
	return mcp.NewInputRequiredResult(mcp.InputRequests{first.name: first.request}, "first"), nil
}
