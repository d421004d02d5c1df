package main

import (
	"context"
	"encoding/json"
	"strings"

	"issues-index/tools"
)

// suiteTools are the fixtures that are tools like any other.
func suiteTools() tools.Toolset {
	tool := func(name, description string, handle tools.HandleFunc) tools.Tool {
		return tools.Tool{
			Name: name, Description: description, ReadOnly: true, Idempotent: true, Handle: handle,
			Input: json.RawMessage(suiteNoArguments), Output: tools.ObjectSchema(`"said":{"type":"string"}`, "said"),
		}
	}
	return tools.Toolset{Name: "conformance", Tools: []tools.Tool{
		tool("test_simple_text", "Answers with a text.", func(context.Context, *tools.Args) (tools.Result, error) {
			return suiteSaid("This is a simple text response for testing."), nil
		}),
		tool("test_error_handling", "Answers with an error.", func(context.Context, *tools.Args) (tools.Result, error) {
			return tools.Result{}, tools.Errorf(tools.CodeProvider, "This tool intentionally returns an error for testing.").Try("Call another tool.")
		}),
		tool("test_tool_with_progress", "Reports its progress three times.", func(_ context.Context, args *tools.Args) (tools.Result, error) {
			const all = 100
			for _, done := range []int{0, all / 2, all} {
				args.Progress(done, all, "testing")
			}
			return suiteSaid("All steps are done."), nil
		}),
		tool("test_input_required_result_tampered_state", "Asks the user to confirm.", func(_ context.Context, args *tools.Args) (tools.Result, error) {
			agreed, err := args.Confirm(func() (tools.Confirmation, error) {
				return tools.Confirmation{Question: "Please confirm.", Title: "Confirm", About: "nothing", Undone: "nothing was done"}, nil
			})
			if err != nil || !agreed {
				return suiteSaid("Nobody was asked."), err
			}
			return suiteSaid("The user has agreed."), nil
		}),
	}}
}

const suiteNoArguments = `{"type":"object","properties":{}}`

func suiteSaid(text string) tools.Result {
	return tools.Result{Text: text, Structured: map[string]string{"said": text}}
}

// suitePrompts are the fixtures that are prompts like any other.
func suitePrompts() []tools.Prompt {
	return []tools.Prompt{
		{
			Name: "test_simple_prompt", Title: "Simple", Description: "A text without arguments.",
			Text: func(map[string]string) string { return "This is a simple prompt for testing." },
		},
		{
			Name: "test_prompt_with_arguments", Title: "With arguments", Description: "A text with two arguments.",
			Arguments: []tools.PromptArgument{
				{Name: "arg1", Description: "the first argument", Required: true},
				{Name: "arg2", Description: "the second argument", Required: true},
			},
			Text: func(given map[string]string) string {
				return "Prompt with arguments: arg1='" + given["arg1"] + "', arg2='" + given["arg2"] + "'"
			},
			Complete: func(_ context.Context, _ *tools.ResourceRequest, asked tools.ArgumentCompletion) (tools.ArgumentValues, error) {
				var values []string
				for _, value := range []string{"paris", "park", "party", "test", "testing"} {
					if strings.HasPrefix(value, asked.Begun) {
						values = append(values, value)
					}
				}
				return tools.Choose(values), nil
			},
		},
	}
}
