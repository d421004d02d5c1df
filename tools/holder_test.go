package tools

import "testing"

func TestTheRecordedNameOfAClientTellsItsHolders(t *testing.T) {
	for recorded, want := range map[string][2]string{
		"claude-code 2.1.0":        {"claude-code-2.1.0", "claude-code"},
		"Visual Studio Code 1.106": {"visual-studio-code-1.106", "visual-studio-code"},
		"codex":                    {"codex", "codex"},
		"Ada Lovelace":             {"ada-lovelace", "ada"},
		"":                         {"", "agent"},
		"1":                        {"1", "1"},
	} {
		if whole, program := HolderNames(recorded); whole != want[0] || program != want[1] {
			t.Errorf("%q: %q, %q, want %q", recorded, whole, program, want)
		}
	}
}
