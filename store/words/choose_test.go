package words

import (
	"errors"
	"slices"
	"testing"
)

func TestChoosing(t *testing.T) {
	statuses := ValueSet{Allowed: []string{"open", "In Progress", "in-progress", "closed"}, Instead: map[string]string{"cancelled": "closed"}}
	for text, want := range map[string][]string{
		"open": {"open"}, "OPEN": {"open"}, "in_progress": {"In Progress", "in-progress"}, "In Progress": {"In Progress"},
	} {
		if got, note, err := statuses.Choose("status", text); !slices.Equal(got, want) || note != "" || err != nil {
			t.Errorf("%q gives %q, %q, %v", text, got, note, err)
		}
	}
	for text, want := range map[string]string{
		"done": "status 'done' was taken for closed", "wontfix": "status 'wontfix' was taken for closed",
	} {
		if got, note, err := statuses.Choose("status", text); !slices.Equal(got, []string{"closed"}) || note != want || err != nil {
			t.Errorf("%q gives %q, %q, %v", text, got, note, err)
		}
	}
	for text, advice := range map[string]string{
		"opne":  "Did you mean open? Valid values: open, In Progress, in-progress, closed.",
		"all":   "Leave --status out for all. Valid values: open, In Progress, in-progress, closed.",
		"zebra": "Valid values: open, In Progress, in-progress, closed.",
	} {
		_, _, err := statuses.Choose("status", text)
		if wrong := (*ChoiceError)(nil); !errors.As(err, &wrong) || wrong.Advice("--status") != advice {
			t.Errorf("%q gives %v", text, err)
		}
	}
}
