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
	k := newKit(t)
	k.note("A-1")
	k.put(".wrangler/issues/archived/A-2.md", "---\nid: A-2\n---\n")
	ix := k.open(Options{Mode: ModeVerify})
	for at := 1; ; at++ {
		if err := ix.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		statements, moved := 0, false
		ctx := Observed(t.Context(), func(string) {
			if statements++; statements == at && !moved {
				moved = true
				if err := os.Rename(filepath.Join(k.ws.Root, here), filepath.Join(k.ws.Root, there)); err != nil {
					t.Error(err)
				}
			}
		})
		links, doc, err := ix.LoadLinked(ctx, "A-1", false)
		if err != nil || doc.ID != "A-1" || doc.Path != links.Row.Path {
			t.Fatalf("moved at statement %d: %v, %v", at, links.Row, err)
		}
		if !moved {
			break
		}
		if err := os.Rename(filepath.Join(k.ws.Root, there), filepath.Join(k.ws.Root, here)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestADocumentThatIsGoneIsNotLoaded(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	ix := k.open(Options{Mode: ModeVerify})
	looks := 0
	_, err := ix.load(func() (*Row, error) {
		looks++
		return &Row{ID: "A-1", Path: ".wrangler/issues/A-1.md"}, nil
	})
	var gone *NotFoundError
	if !errors.As(err, &gone) || gone.ID != "A-1" || looks != mostMoves {
		t.Errorf("%v after %d looks", err, looks)
	}
}
