// Package resources offers the documents of workspaces as resources of MCP: by URI, to read,
// to complete and to be told of changes.
//
// It knows nothing of the protocol's messages, which package tools answers, or of files'
// syntax. Its invariants:
//
//   - a URI names a workspace by a word of the user's, never by a path, and nothing in it
//     leads out of the workspace;
//   - a text comes from its file, byte for byte, and is never larger than the answer of a
//     tool: what is left out is said, and how to read on;
//   - a list names a few documents, however many there are.
package resources

import (
	"cmp"
	"context"
	"errors"
	"path"
	"strings"

	"issues-index/index"
	"issues-index/index/workspaces"
	"issues-index/store/layout"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// listed is how many documents the list names: those that were updated last of the
// unfinished ones.
const listed = 20

// longestTitle is what the list shows of a title, in characters.
const longestTitle = 120

// Set returns the resources. withTools says that clients have the tools of package issues,
// too, by which to read on.
func Set(withTools bool) *tools.ResourceSet {
	return &tools.ResourceSet{
		Templates: []tools.ResourceTemplate{
			{URI: documentTemplate, Name: "document", Title: "A document",
				Description: "An issue, specification or idea as Markdown. workspace: " + Here + ", or a configured name."},
			{URI: sectionTemplate, Name: "section", Title: "A section of a document",
				Description: "What is under a heading of a document, as Markdown."},
		},
		List: list,
		Read: func(ctx context.Context, r *tools.ResourceRequest) (tools.ResourceText, error) {
			return read(ctx, r, withTools)
		},
		Find:     find,
		Complete: complete,
	}
}

func list(ctx context.Context, r *tools.ResourceRequest) ([]tools.Resource, error) {
	b, err := r.Workspace(ctx, "")
	if err != nil {
		return nil, err
	}
	defer b.Release()
	page, err := b.Index.Find(ctx, index.Query{
		Filter: index.Filter{Statuses: b.Index.Workspace().Layout.Of(layout.Open, layout.Active)},
		Sort:   index.Sort{Key: index.SortUpdated, Desc: true}, Limit: listed, Uncounted: true,
	})
	if err != nil {
		return nil, err
	}
	var all []tools.Resource
	budget, size := r.Budget(b.Settings), 0
	for _, row := range page.Rows {
		id := row.ID
		if row.Shared || unfit(id) != "" {
			id = path.Base(row.Path)
		}
		if unfit(id) != "" {
			continue // a file's name with control characters, which issues-index check reports
		}
		entry := tools.Resource{
			URI: resourceName{workspace: Here, id: id}.String(), Name: id, Title: words.Cut(tools.Line(row.Title), longestTitle),
			Description: strings.Join([]string{row.Type, tools.Plain(row.Status), tools.Plain(row.Priority)}, ", "),
			Size:        row.Size, Updated: row.Updated,
		}
		const beside = 160 // bytes of the names of members, the time and the like
		size += len(entry.URI) + answer.Escaped(entry.Name) + answer.Escaped(entry.Title) +
			answer.Escaped(entry.Description) + beside
		if !budget.Off && size > budget.Bytes {
			break // ids of hundreds of bytes: the list only is a beginning, and issues_list has all
		}
		all = append(all, entry)
	}
	return all, nil
}

// Workspace returns what a request works with in the workspace that a URI names so, or, where
// it names none, in that of a call which names none. Its Release has to be called.
func Workspace(ctx context.Context, r *tools.ResourceRequest, workspace string) (tools.WorkspaceBinding, error) {
	if cmp.Or(workspace, Here) == Here {
		workspace = ""
	}
	b, err := r.Workspace(ctx, workspace)
	if refused := (*workspaces.RefusedError)(nil); workspace != "" && errors.As(err, &refused) {
		// A URI has names only, and neither it nor its error tells of paths.
		return b, tools.Errorf(tools.CodeNotFound, "There is no workspace %s here.", tools.Quote(workspace)).On("workspace").
			Try("Take one of these, or ask the user to add it to workspaces in the user's own configuration: %s.",
				tools.Plain(strings.Join(namesOf(ctx, r), ", ")))
	}
	return b, err
}

// find returns the document of a URI, in its workspace.
func find(ctx context.Context, r *tools.ResourceRequest) (tools.FoundResource, error) {
	n, err := parseURI(r.URI)
	if err != nil {
		return tools.FoundResource{}, err
	}
	b, err := Workspace(ctx, r, n.workspace)
	if err != nil {
		return tools.FoundResource{}, err
	}
	row, err := b.Index.Get(ctx, n.id)
	if err != nil {
		b.Release()
		return tools.FoundResource{}, err
	}
	return tools.FoundResource{WorkspaceBinding: b, ID: n.id, Row: row}, nil
}
