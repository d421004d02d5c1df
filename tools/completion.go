package tools

import (
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
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

// A completer returns the values that an argument may have.
type completer = func(context.Context, *ResourceRequest, ArgumentCompletion) (ArgumentValues, error)

// complete completes an argument of a prompt or of a URI template. As in a shell, what cannot be
// completed has no choices: an error under the cursor helps no user. The log has it.
func (s *Server) complete(ctx context.Context, r *request) (any, error) {
	var p mcp.CompleteParams
	if err := r.read(&p); err != nil {
		return nil, err
	}
	asked := ArgumentCompletion{Argument: p.Argument.Name, Begun: p.Argument.Value, Given: p.Context.Arguments}
	var by completer
	switch ref := p.Ref.(type) {
	case mcp.PromptReference:
		prompt, err := s.prompt(ref.Name)
		if err != nil {
			return nil, err
		}
		asked.Template, by = ref.Name, prompt.Complete
	case mcp.ResourceReference:
		named := func(t ResourceTemplate) bool { return t.URI == ref.URI }
		if s.resources == nil || !slices.ContainsFunc(s.resources.Templates, named) {
			return nil, s.fault(r, ref.URI, Errorf(CodeValidation, "There is no resource template %s.", Quote(ref.URI)).
				On("ref").Try("resources/templates/list names them all."))
		}
		asked.Template, by = ref.URI, s.resources.Complete
	}
	result := &mcp.CompleteResult{Completion: mcp.Completion{Values: []string{}}}
	if by == nil || len(asked.Begun) > maxURI {
		return result, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	choices, err := s.choices(ctx, s.resourceRequest(r, ""), asked, by)
	if err != nil {
		s.log.Debug("no completion", "argument", Plain(asked.Argument), "error", err)
		return result, nil
	}
	result.Completion.Values, result.Completion.HasMore = append(result.Completion.Values, choices.Values...), choices.More
	return result, nil
}

func (s *Server) choices(
	ctx context.Context, r *ResourceRequest, asked ArgumentCompletion, by completer,
) (_ ArgumentValues, err error) {
	defer s.recovered("complete an argument", &err)
	return by(ctx, r, asked)
}
