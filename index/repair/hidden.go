package repair

import (
	"context"
	"strings"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/words"
)

// hiddenText is the code of a hint: a text may have a reason for its characters, but a person
// who does not see them has to know.
const hiddenText store.ProblemCode = "hidden-text"

// hiddenTexts returns a hint for each document whose file has text that a person does not see.
// The index has the fields without it, so the files are read.
func hiddenTexts(ctx context.Context, ix *index.Index) (hints []Finding, err error) {
	ws := ix.Workspace()
	listing, err := ws.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, file := range listing.Files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		data, _, err := ws.Read(file.Path)
		if err != nil { // which is a problem of its own, or the file is gone
			continue
		}
		if at := words.HiddenAt(string(data)); at >= 0 {
			id := ws.Parse(file, data, nil).ID
			hint := newFinding(hiddenText, file.Path, id, "there are invisible characters that a model reads as text")
			hint.Problem.Line = 1 + strings.Count(string(data[:at]), "\n")
			hints = append(hints, hint)
		}
	}
	return hints, nil
}
