package tools

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"issues-index/store/words"
)

// A Prompt is a text that a user has a client send to its model.
type Prompt struct {
	Name, Title, Description string
	Arguments                []PromptArgument
	// Text is the text with the arguments that were given. All of them are known, of one
	// line, and none is empty.
	Text func(given map[string]string) string
	// Complete returns the values that an argument may have; nil for none.
	Complete func(context.Context, *ResourceRequest, ArgumentCompletion) (ArgumentValues, error)
}

// A PromptArgument is what a user may fill in.
type PromptArgument struct {
	Name, Description string
	Required          bool
}

// servePrompts answers requests for prompts.
func (s *Server) servePrompts(prompts []Prompt, hooks *server.Hooks) {
	for _, p := range prompts {
		made := mcp.Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
		for _, a := range p.Arguments {
			made.Arguments = append(made.Arguments, mcp.PromptArgument{Name: a.Name, Description: a.Description, Required: a.Required})
		}
		s.mcp.AddPrompt(made, func(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			given, err := p.read(request.Params.Arguments)
			if err != nil {
				return nil, s.fail(ctx, "", err)
			}
			return mcp.NewGetPromptResult(p.Description, []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(p.Text(given)))}), nil
		})
	}
	if len(prompts) == 0 {
		return
	}
	hooks.AddBeforeListPrompts(func(_ context.Context, _ any, request *mcp.ListPromptsRequest) {
		request.Params.Cursor = "" // there is one page
	})
	hooks.AddBeforeGetPrompt(func(ctx context.Context, _ any, request *mcp.GetPromptRequest) {
		if _, known := s.mcp.ListPrompts()[request.Params.Name]; !known {
			_ = s.fail(ctx, "", unknownPrompt(prompts, request.Params.Name))
		}
	})
}

func unknownPrompt(prompts []Prompt, name string) *Error {
	var names []string
	for _, p := range prompts {
		names = append(names, p.Name)
	}
	return Errorf(CodeValidation, "There is no prompt %s.", Quote(name)).On("name").Try("There are %s.", strings.Join(names, ", "))
}

// read checks the arguments of a prompt. Those that are empty count as not given.
func (p Prompt) read(arguments map[string]string) (map[string]string, error) {
	given := make(map[string]string)
	var names []string
	for _, a := range p.Arguments {
		names = append(names, a.Name)
		if value := strings.TrimSpace(arguments[a.Name]); value != "" {
			given[a.Name] = value
		} else if a.Required {
			return nil, Errorf(CodeMissingField, "The prompt %s needs the argument %s.", p.Name, a.Name).On(a.Name).Try("It is %s.", a.Description)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		if !slices.Contains(names, name) {
			wrong := Errorf(CodeValidation, "The prompt %s has no argument %s.", p.Name, Quote(name)).On(name)
			if near := words.Nearest(name, names); near != "" {
				return nil, wrong.Try("Did you mean %s?", near)
			}
			return nil, wrong.Try("It has %s.", strings.Join(names, ", "))
		}
		// What is one word for the user must not become a part of the text for the model.
		if value, whole := Whole(given[name]); given[name] != "" && (!whole || strings.ContainsAny(value, `'"`+"`")) {
			return nil, Errorf(CodeValidation, "The argument %s is %s.", name, Quote(value)).On(name).Try("Give it as one line of at most %d bytes, without quotation marks.", maxID)
		}
	}
	return given, nil
}
