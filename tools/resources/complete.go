package resources

import (
	"context"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/store/markdown"
	"issues-index/tools"
)

// complete returns the values that an argument of a template may have.
func complete(ctx context.Context, r *tools.ResourceRequest, c tools.ArgumentCompletion) (tools.ArgumentValues, error) {
	switch c.Argument {
	case "workspace":
		return Workspaces(ctx, r, c), nil
	case "id":
		return Documents(ctx, r, c)
	case "heading":
		return headings(ctx, r, c)
	}
	return tools.ArgumentValues{}, nil
}

// Workspaces completes the name of a workspace.
func Workspaces(ctx context.Context, r *tools.ResourceRequest, c tools.ArgumentCompletion) tools.ArgumentValues {
	return tools.Choose(slices.DeleteFunc(namesOf(ctx, r), func(name string) bool { return !beginsFold(name, c.Begun) }))
}

// namesOf are the names of workspaces that a URI may have.
func namesOf(ctx context.Context, r *tools.ResourceRequest) []string {
	names := []string{Here}
	for _, name := range r.WorkspaceNames(ctx) {
		if name != Here && unfit(name) == "" { // Here is the workspace of the session, whatever the user calls another
			names = append(names, name)
		}
	}
	return names
}

// Documents completes the id of a document of the workspace that is given: ids that go on
// from what is begun, and those of documents that have it in their title.
func Documents(ctx context.Context, r *tools.ResourceRequest,
	c tools.ArgumentCompletion) (tools.ArgumentValues, error) {
	b, err := Workspace(ctx, r, c.Given["workspace"])
	if err != nil {
		return tools.ArgumentValues{}, err
	}
	defer b.Release()
	found, more, err := b.Index.Complete(ctx, index.Completing{Begun: c.Begun, Titles: true, FileNames: true,
		Limit: tools.MaxChoices})
	choices := tools.ArgumentValues{More: more}
	for _, one := range found {
		if unfit(one.Name) == "" {
			choices.Values = append(choices.Values, one.Name)
		}
	}
	return choices, err
}

// headings completes the heading of a section of the document that is given.
func headings(ctx context.Context, r *tools.ResourceRequest, c tools.ArgumentCompletion) (tools.ArgumentValues, error) {
	if c.Given["id"] == "" {
		return tools.ArgumentValues{}, nil
	}
	b, err := Workspace(ctx, r, c.Given["workspace"])
	if err != nil {
		return tools.ArgumentValues{}, err
	}
	defer b.Release()
	_, doc, err := b.Index.Load(ctx, c.Given["id"])
	if err != nil {
		return tools.ArgumentValues{}, err
	}
	var begin, have []string
	seen := make(map[string]bool)
	for _, h := range markdown.Outline(doc.Body) {
		switch {
		case seen[h.Text] || unfit(h.Text) != "":
		case beginsFold(h.Text, c.Begun):
			begin = append(begin, h.Text)
		case strings.Contains(strings.ToLower(h.Text), strings.ToLower(c.Begun)):
			have = append(have, h.Text)
		}
		seen[h.Text] = true
	}
	return tools.Choose(append(begin, have...)), nil
}

func beginsFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
