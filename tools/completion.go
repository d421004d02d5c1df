package tools

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// MaxChoices is how many values a completion has at most, as MCP has it.
const MaxChoices = 100

// A ArgumentCompletion asks what the value of an argument may be.
type ArgumentCompletion struct {
	Template string // the URI template, or the name of the prompt
	Argument string
	Begun    string            // what the user has written of it
	Given    map[string]string // the other arguments, as far as they are known
}

// ArgumentValues are the values that an argument may have.
type ArgumentValues struct {
	Values []string // at most MaxChoices
	More   bool     // there are others
}

// Choose returns the choices among values in order, as many as there may be.
func Choose(values []string) ArgumentValues {
	return ArgumentValues{values[:min(len(values), MaxChoices)], len(values) > MaxChoices}
}

// completionOptions are those of a server that completes arguments.
func (s *Server) completionOptions(c Config) []server.ServerOption {
	if c.Resources == nil && len(c.Prompts) == 0 {
		return nil
	}
	by := completer{s, c}
	return []server.ServerOption{server.WithCompletions(), server.WithPromptCompletionProvider(by), server.WithResourceCompletionProvider(by)}
}

// A completer completes arguments for mcp-go. As in a shell, what cannot be completed has no
// choices: nobody asked for an error under the cursor. The log has it.
type completer struct {
	*Server
	of Config
}

// CompleteResourceArgument completes an argument of a URI template.
func (c completer) CompleteResourceArgument(ctx context.Context, uri string, argument mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
	set := c.of.Resources
	known := false
	if set != nil {
		for _, t := range set.Templates {
			known = known || t.URI == uri
		}
	}
	if !known {
		return nil, c.fail(ctx, uri, Errorf(CodeValidation, "There is no resource template %s.", Quote(uri)).On("ref").Try("resources/templates/list names them all."))
	}
	return c.complete(ctx, ArgumentCompletion{uri, argument.Name, argument.Value, given.Arguments}, set.Complete)
}

// CompletePromptArgument completes an argument of a prompt.
func (c completer) CompletePromptArgument(ctx context.Context, name string, argument mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
	for _, p := range c.of.Prompts {
		if p.Name == name {
			return c.complete(ctx, ArgumentCompletion{name, argument.Name, argument.Value, given.Arguments}, p.Complete)
		}
	}
	return nil, c.fail(ctx, "", unknownPrompt(c.of.Prompts, name))
}

func (c completer) complete(ctx context.Context, asked ArgumentCompletion, complete func(context.Context, *ResourceRequest, ArgumentCompletion) (ArgumentValues, error)) (_ *mcp.Completion, err error) {
	none := &mcp.Completion{Values: []string{}}
	if complete == nil || len(asked.Begun) > maxURI {
		return none, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	choices, err := c.choices(ctx, asked, complete)
	if err != nil {
		c.log.Debug("no completion", "argument", Plain(asked.Argument), "error", err)
		return none, nil
	}
	if choices.Values == nil {
		choices.Values = none.Values
	}
	return &mcp.Completion{Values: choices.Values, HasMore: choices.More}, nil
}

func (c completer) choices(ctx context.Context, asked ArgumentCompletion, complete func(context.Context, *ResourceRequest, ArgumentCompletion) (ArgumentValues, error)) (choices ArgumentValues, err error) {
	defer c.recovered("complete an argument", &err)
	return complete(ctx, &ResourceRequest{server: c.Server}, asked)
}
