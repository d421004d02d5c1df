package words

import "testing"

func TestRespell(t *testing.T) {
	values := []string{"open", "in_progress", "To Do", "To do"}
	for text, want := range map[string]string{
		"open": "open", "Open": "open", "in-progress": "in_progress", "In Progress": "in_progress", "INPROGRESS": "in_progress",
		"To Do": "To Do", "to do": "", // which of two
		"opne": "", "": "", "progress": "",
	} {
		if got, ok := Respell(text, values); got != want || ok != (want != "") {
			t.Errorf("%q means %q (%v), want %q", text, got, ok, want)
		}
	}
}
