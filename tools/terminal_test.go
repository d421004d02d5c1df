package tools

import "testing"

func TestATerminalReadsCommandsForTools(t *testing.T) {
	for advice, want := range map[string]string{
		"Use issues_list to see what is there now.":                           "use issues-index list to see what is there now",
		"Claim it with issues_claim {operation: 'claim', id: 'X-1'} first.":   "claim it with issues-index claim X-1 first",
		"Take other work with issues_claim {operation: 'next'}. Or wait.":     "take other work with issues-index claim. Or wait",
		"Call issues_update {id: 'X-1', status: 'open', assignee: ''} first.": "call issues-index set X-1 status=open assignee= first",
		"Send it again with ifVersion: 'ab12' if it is still right.":          "send it again with --if-version ab12 if it is still right",
		"Pass local: true.":            "pass --local",
		"Call wagtail_page instead.":   "call wagtail_page instead",
		"ISS-000001 is the one.":       "ISS-000001 is the one",
		"Ask the user to fix the file": "fix the file",
	} {
		if got := forTerminal(advice); got != want {
			t.Errorf("%s\ngives %s\nwant  %s", advice, got, want)
		}
	}
}
