package index

import (
	"context"
	"strings"

	"issues-index/index/db"
	"issues-index/store"
	"issues-index/store/mirror"
)

// cutLine is mirror.CutLine of an id as typed.
func cutLine(id string) (in mirror.Branch, within string, qualified bool) {
	before, within, _ := strings.Cut(id, ":")
	if in, _, qualified = mirror.CutBranch(strings.ToLower(before) + ":"); !qualified || len(before) == len(id) {
		return mirror.Branch{}, id, false
	}
	return in, within, true
}

// plainIDs is plainIDs within the line that an id of a mirror names.
func (e *engine) plainIDs(id string) []string {
	in, within, qualified := cutLine(id)
	if !e.ws.Mirror() || !qualified {
		return plainIDs(id)
	}
	var ids []string
	for _, plain := range plainIDs(within) {
		ids = append(ids, in.Qualify(plain))
	}
	return ids
}

// foldOf is the form in which criteria compare an id. In a mirror, one without a line is that
// of the one document that it names.
func (e *engine) foldOf(ctx context.Context, q db.Querier, id string) string {
	if !e.ws.Mirror() {
		return store.FoldLink(e.ws.Layout, id)
	}
	if row, err := e.resolve(ctx, q, id); err == nil {
		return store.FoldID(row.ID)
	}
	return store.FoldID(id)
}

type withinKey struct{}

// Within has calls about a mirror mean one workspace, or another branch of it, as mirror.Branch
// writes it: api or api@mac-7k2q. Ids without a branch, and filters without workspaces, are of that
// branch then. Any other text is of no effect.
func Within(ctx context.Context, line string) context.Context {
	in, ok := mirror.ParseBranch(line)
	if !ok {
		return ctx
	}
	return context.WithValue(ctx, withinKey{}, in)
}

// withinLine is the line that the calls of a context mean, zero for none.
func withinLine(ctx context.Context) mirror.Branch {
	in, _ := ctx.Value(withinKey{}).(mirror.Branch)
	return in
}

// qualify puts the line that a call means before an id without one.
func (e *engine) qualify(ctx context.Context, id string) string {
	if _, _, qualified := cutLine(id); !e.ws.Mirror() || qualified || strings.HasPrefix(id, withinLine(ctx).Folder()) {
		return id
	}
	return withinLine(ctx).Qualify(id)
}

// selectLines has a filter that names no line mean those that everybody sees, and that of the
// context where it names no workspace. asksLine says that criteria compare the line.
func (e *engine) selectLines(ctx context.Context, q db.Querier, f *Filter, asksLine bool) error {
	if !e.ws.Mirror() || len(f.IDs) > 0 {
		return nil
	}
	if in := withinLine(ctx); in != (mirror.Branch{}) && !f.inMirror() {
		f.Workspaces, f.Lines = []string{in.Workspace}, []string{in.Name}
	}
	if len(f.Lines) > 0 || asksLine {
		return nil
	}
	for _, id := range []string{f.Parent, f.Under} {
		if in, _, qualified := cutLine(id); qualified {
			f.Lines = []string{in.Name}
		}
	}
	if len(f.Lines) > 0 {
		return nil
	}
	several, err := unmerged(ctx, q)
	if several {
		f.Lines = []string{mirror.Main}
	}
	return err
}

// unmerged reports whether a mirror has other lines than those that everybody sees. Without
// any, a filter need not name these, and what it lets through is counted at once.
func unmerged(ctx context.Context, q db.Querier) (bool, error) {
	return readOne[bool](ctx, q, "look for unmerged work",
		`SELECT EXISTS (SELECT 1 FROM document WHERE line <> '' AND line <> '`+mirror.Main+`')`)
}
