package issues

import "testing"

// TestTokenBudgets holds the rows of a real workspace to what an agent may pay
// for them, at four bytes a token.
func TestTokenBudgets(t *testing.T) {
	f := corpus(t)
	for _, c := range []struct {
		format           string
		text, structured int // tokens of 20 rows
	}{
		{formatSummary, 700, 1000},
		{formatMinimal, 400, 600},
	} {
		t.Run(c.format, func(t *testing.T) {
			answer := f.Call(t, "issues_list", map[string]any{"format": c.format, "limit": 20})
			text, structured := len(answer.Text())/4, len(answer.Structured)/4
			t.Logf("20 rows: %d tokens as text, %d structured", text, structured)
			if text >= c.text || structured >= c.structured {
				t.Errorf("20 rows take %d tokens as text and %d structured, allowed are fewer than %d and %d",
					text, structured, c.text, c.structured)
			}
		})
	}
}
