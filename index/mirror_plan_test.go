package index

import (
	"path/filepath"
	"strings"
	"testing"
)

// Questions about one workspace of a mirror go straight to its documents, and lookups of ids
// without a workspace to those that have them, however many the others have.
func TestPlansInAMirror(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	writeAll(t, filepath.Join(top, "api", ".wrangler", "issues", "ISS-000001.md"), nil)
	mirrorLines(t, filepath.Join(top, "mirror"), map[string]string{"api": filepath.Join(top, "api")})
	ix := indexPlain(t, filepath.Join(top, "mirror"))
	if _, err := ix.Health(t.Context()); err != nil {
		t.Fatal(err)
	}
	within := ix.engine.where(Filter{Workspaces: []string{"api"}, Lines: []string{"main"}})
	tally := &clause{}
	tally.inLines(Filter{Workspaces: []string{"api"}})
	for _, one := range []struct {
		query string
		args  []any
		want  string
	}{
		{"SELECT doc, updated AS key, path FROM document WHERE " + within.String() + " ORDER BY key DESC, path DESC LIMIT 20", within.args, "SEARCH document USING COVERING INDEX document_by_workspace (workspace=?)"},
		{"SELECT doc FROM document WHERE NOT finished AND " + within.String() + " ORDER BY priority_rank DESC, created, path LIMIT 1", within.args, "SEARCH document USING INDEX document_by_workspace (workspace=?)"},
		{"SELECT sum(documents) FROM facet_tally WHERE " + tally.String(), tally.args, "SEARCH facet_tally USING PRIMARY KEY (workspace=?)"},
		{"SELECT d.id FROM document d WHERE " + plainID + onMain, []any{"iss-1"}, "SEARCH d USING INDEX document_by_plain_id (<expr>=?)"},
		{"SELECT d.id FROM document d WHERE " + plainNumber + onMain, []any{"1"}, "SEARCH d USING INDEX document_by_plain_number (<expr>=?)"},
	} {
		steps, err := readAll(t.Context(), ix.db.Read, "plan", func(scan func(...any) error) (step string, err error) {
			var id, parent, unused int
			err = scan(&id, &parent, &unused, &step)
			return step, err
		}, "EXPLAIN QUERY PLAN "+one.query, one.args...)
		if err != nil || len(steps) == 0 || steps[0] != one.want {
			t.Errorf("%s\n%s, %v, want %s", one.query, strings.Join(steps, "\n"), err, one.want)
		}
	}
}
