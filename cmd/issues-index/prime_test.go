package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store/session"
	"issues-index/tools/answer"
)

// Every conversation begins with what prime prints: it is small whatever the workspace holds.
func TestPrimeIsSmall(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.StringN(0, 60, -1), rapid.StringOf(rapid.SampledFrom([]rune("ab 検索\n\x1b🧑‍🚀")))) // long ones, too
	rapid.Check(t, func(rt *rapid.T) {
		about := primer{Overview: documents.Overview{Documents: rapid.IntRange(0, 1e9).Draw(rt, "documents"), Problems: rapid.IntRange(0, 1e9).Draw(rt, "problems")}}
		for i := range 4 {
			part := documents.OverviewPart{Title: "Stale claims", Key: fmt.Sprint(i)}
			for range rapid.IntRange(0, overviewRows).Draw(rt, "rows") {
				row := index.Row{ID: text.Draw(rt, "id"), Priority: text.Draw(rt, "priority"), Assignee: text.Draw(rt, "assignee"), Title: text.Draw(rt, "title")}
				if rapid.Bool().Draw(rt, "claimed") {
					row.Claim = &index.RowClaim{Holder: text.Draw(rt, "holder")}
				}
				part.Rows = append(part.Rows, row)
			}
			part.Total = len(part.Rows)
			about.Parts = append(about.Parts, part)
		}
		about.session = &session.Session{ID: text.Draw(rt, "session"), SpecFile: text.Draw(rt, "specification")}
		about.saved = &session.Checkpoint{LastAction: text.Draw(rt, "last"), ResumeInstructions: text.Draw(rt, "resume")}
		got := (&program{out: &strings.Builder{}, getenv: os.Getenv}).primerText(about)
		if tokens := answer.Estimate(len(got)); tokens > primeTokens {
			rt.Fatalf("%d tokens:\n%s", tokens, got)
		}
		for _, line := range strings.Split(got, "\n")[2:] {
			if len(line) > primeLine {
				rt.Fatalf("%d bytes in a line: %q", len(line), line)
			}
		}
		if !strings.Contains(got, "\nSession ") || !strings.Contains(got, "\nTo resume: ") {
			rt.Fatalf("the session is missing:\n%s", got)
		}
	})
}

func TestPrimeLeavesOutNothingThatFits(t *testing.T) {
	t.Parallel()
	about := primer{Overview: documents.Overview{Parts: []documents.OverviewPart{{Title: "Ready", Key: "ready"}}}}
	about.Parts[0].Total = 9
	for i := range overviewRows {
		about.Parts[0].Rows = append(about.Parts[0].Rows, index.Row{ID: fmt.Sprintf("ISS-%06d", i), Priority: "high", Title: strings.Repeat("word ", 30)})
	}
	got := (&program{out: &strings.Builder{}, getenv: os.Getenv}).primerText(about)
	if n := strings.Count(got, "\n- ISS-"); n != overviewRows || !strings.Contains(got, "Ready (9):") {
		t.Errorf("%d rows:\n%s", n, got)
	}
}
