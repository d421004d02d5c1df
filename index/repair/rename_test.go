package repair

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"issues-index/index/sqlfile"
	"issues-index/store/frontmatter"
)

// What is asked for is fixed and nothing else: a closed document that gets the name of its id stays in
// its folder.
func TestARenamedDocumentStaysInItsFolder(t *testing.T) {
	w := newWorkspace(t, "", map[string]string{".wrangler/issues/notes.md": "---\nid: ISS-000007\ntitle: A Note\nstatus: closed\n---\n"})
	r, err := Check(t.Context(), w.ix, testTime, frontmatter.ProblemIDFilename)
	if err != nil || len(r.Changes) != 1 || r.Changes[0].To != ".wrangler/issues/ISS-000007-a-note.md" {
		t.Errorf("%+v, %v", r, err)
	}
}

// The files are compared a few times, however many documents are to be renamed.
func TestManyNamesAreLookedForAtOnce(t *testing.T) {
	const documents = 50
	files := map[string]string{}
	for i := range documents {
		files[fmt.Sprintf(".wrangler/issues/note-%d.md", i)] = fmt.Sprintf("---\nid: ISS-%06d\ntitle: Note\n---\n", i+1)
	}
	files[".wrangler/issues/other.md"] = "See note-7 first.\n"
	w := newWorkspace(t, "", files)
	moments := 0
	ctx := sqlfile.WithObserver(t.Context(), func(query string) {
		if strings.Contains(query, "SELECT generation, rev") {
			moments++
		}
	})
	r, err := Check(ctx, w.ix, testTime, frontmatter.ProblemIDFilename)
	if err != nil || len(r.Changes) != documents-1 || moments > 10 {
		t.Errorf("%d changes, as of %d moments: %v", len(r.Changes), moments, err)
	}
}

// The work on a text grows as it does, however often it names a document and on however long a line.
func TestATextMayNameADuplicateOften(t *testing.T) {
	for name, one := range map[string]string{"mentions": "ISS-000001 ", "links": "[a](x.md) "} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t, "", map[string]string{
				".wrangler/issues/a.md": "---\nid: ISS-000001\n---\n",
				".wrangler/issues/b.md": "---\nid: ISS-000001\n---\n" + strings.Repeat(one, 90_000),
			})
			start := time.Now()
			if w.duplicates(DuplicateOptions{}); time.Since(start) > time.Minute {
				t.Errorf("it took %v", time.Since(start))
			}
		})
	}
}
