package tools

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

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

// listPrompts lists all prompts on one page: a cursor counts for nothing.
func (s *Server) listPrompts(context.Context, *request) (any, error) {
	result := &mcp.ListPromptsResult{}
	for _, p := range s.prompts {
		made := mcp.Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
		for _, a := range p.Arguments {
			argument := mcp.PromptArgument{Name: a.Name, Description: a.Description, Required: a.Required}
			made.Arguments = append(made.Arguments, argument)
		}
		result.Prompts = append(result.Prompts, made)
	}
	return result, nil
}

// getPrompt returns the text of a prompt.
func (s *Server) getPrompt(_ context.Context, r *request) (any, error) {
	var asked mcp.GetPromptParams
	if err := r.read(&asked); err != nil {
		return nil, err
	}
	p, err := s.prompt(asked.Name)
	if err != nil {
		return nil, err
	}
	given, err := p.read(asked.Arguments)
	if err != nil {
		return nil, err
	}
	text := mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(p.Text(given)))
	return mcp.NewGetPromptResult(p.Description, []mcp.PromptMessage{text}), nil
}

// prompt returns the prompt with a name.
func (s *Server) prompt(name string) (Prompt, error) {
	var names []string
	for _, p := range s.prompts {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Prompt{}, Errorf(CodeValidation, "There is no prompt %s.", Quote(name)).On("name").
		Try("There are %s.", strings.Join(names, ", "))
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
			return nil, Errorf(CodeMissingField, "The prompt %s needs the argument %s.", p.Name, a.Name).On(a.Name).
				Try("It is %s.", a.Description)
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
			return nil, Errorf(CodeValidation, "The argument %s is %s.", name, Quote(value)).On(name).
				Try("Give it as one line of at most %d bytes, without quotation marks.", maxID)
		}
	}
	return given, nil
}
