package index

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestADocumentThatMovesWhileItIsReadIsFound moves it at every statement that a look at it and
// its links takes, so that some move falls between the lookup and the read.
func TestADocumentThatMovesWhileItIsReadIsFound(t *testing.T) {
	t.Parallel()
	const here, there = ".wrangler/issues/A-1.md", ".wrangler/issues/archived/A-1.md"
	for at := 1; ; at++ {
		k := newKit(t)
		k.note("A-1")
		k.put(".wrangler/issues/archived/A-2.md", "---\nid: A-2\n---\n")
		ix := k.open(Options{Mode: ModeVerify})
		statements, moved := 0, false
		ctx := Observed(t.Context(), func(string) {
			if statements++; statements == at && !moved {
				moved = true
				if err := os.Rename(filepath.Join(k.ws.Root, here), filepath.Join(k.ws.Root, there)); err != nil {
					t.Error(err)
				}
			}
		})
		var links DocumentLinks
		row, doc, err := ix.Load(ctx, "A-1", func(row Row) (err error) {
			links, err = ix.Links(ctx, row.Path)
			return err
		})
		if err != nil || doc.ID != "A-1" || doc.Path != row.Path || links.Row.Path != row.Path {
			t.Fatalf("moved at statement %d: %v, %v", at, row, err)
		}
		if !moved {
			break
		}
	}
}

func TestADocumentThatIsGoneIsNotLoaded(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.note("A-1")
	ix := k.open(Options{Mode: ModeVerify})
	looks := 0
	_, _, err := ix.Load(t.Context(), "A-1", func(Row) error {
		looks++
		return &NotFoundError{ID: "A-1"}
	})
	var gone *NotFoundError
	if !errors.As(err, &gone) || gone.ID != "A-1" || looks != mostMoves {
		t.Errorf("%v after %d looks", err, looks)
	}
}
