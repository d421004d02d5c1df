package issues

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"issues-index/index/writing"
	"issues-index/store"
	"issues-index/tools"
)

const (
	// changeLength is the most characters of a value, old or new, that the
	// answer to a change shows; batchLength where there are many of them.
	changeLength = 120
	batchLength  = 40
)

// A revision tells what a change did to a document.
type revision struct {
	ID        string   `json:"id"`
	Changes   []string `json:"changes"` // as `field: old → new`
	UpdatedAt string   `json:"updatedAt"`
	Path      string   `json:"path"` // where the file is now
}

func revisionOf(args *tools.Args, done writing.Written) revision {
	noteBehind(args, done.Behind)
	return revision{
		ID:        done.After.ID,
		Changes:   changesOf(done.Changes, changeLength),
		UpdatedAt: stamp(done.After.Updated),
		Path:      done.Path,
	}
}

// noteBehind says that a read may not show a change yet.
func noteBehind(args *tools.Args, behind error) {
	if behind != nil {
		args.Note("the change is on disk, but the index could not follow it yet: issues_list and issues_search may not show it")
	}
}

// changesOf words changes, their values cut at so many characters.
func changesOf(changes []store.FieldChange, length int) []string {
	texts := make([]string, len(changes))
	for i, c := range changes {
		if c.Field == "description" {
			texts[i] = fmt.Sprintf("description: %d → %d characters", utf8.RuneCountInString(c.Old), utf8.RuneCountInString(c.New))
			continue
		}
		texts[i] = fmt.Sprintf("%s: %s → %s", line(c.Field), valueText(c.Old, length), valueText(c.New, length))
	}
	return texts
}

func valueText(value string, length int) string { return orNone(cut(line(value), length)) }

// text is what was changed, a line a field, under a first line such as
// `Updated ISS-000042`.
func (r revision) text(did string) string {
	lines := []string{did + " " + name(r.ID)}
	if len(r.Changes) == 0 {
		lines[0] = "No changes to " + name(r.ID) + ": it is as asked already."
	}
	lines = append(lines, r.Changes...)
	return strings.Join(append(lines, "updated: "+r.UpdatedAt, "path: "+r.Path), "\n")
}

func quotedTitle(doc *store.Document) string { return `"` + cut(line(doc.Title), titleLength) + `"` }
