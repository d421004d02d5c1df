package terminal

import (
	"strings"
	"testing"
)

func TestLinksAreForTerminalsThatAreKnownToHaveThem(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, false},
		{map[string]string{"TERM": "xterm-256color"}, false},
		{map[string]string{"TERM": "xterm-kitty"}, true},
		{map[string]string{"TERM": "xterm-256color", "VTE_VERSION": "7600"}, true},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "vscode"}, true},
		{map[string]string{"TERM": "tmux-256color", "VTE_VERSION": "7600"}, false},
		{map[string]string{"TERM": "xterm-256color", "TMUX": "/tmp/x", "TERM_PROGRAM": "iTerm.app"}, false},
		{map[string]string{"FORCE_HYPERLINK": "1"}, true},
		{map[string]string{"TERM": "xterm-kitty", "FORCE_HYPERLINK": "0"}, false},
	} {
		if got := canLink(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: %v", c.env, got)
		}
	}
}

func TestALinkNamesTheFileAndCannotBeEnded(t *testing.T) {
	s := Screen{Links: true}
	got := s.Linked("/a b/\x1b\\c\x07#?.md", "ISS-1")
	address, rest, ok := strings.Cut(strings.TrimPrefix(got, "\x1b]8;;"), "\x1b\\")
	if !ok || rest != "ISS-1\x1b]8;;\x1b\\" {
		t.Errorf("%q", got)
	}
	if !strings.HasPrefix(address, "file://") || !strings.HasSuffix(address, "/a%20b/%1B%5Cc%07%23%3F.md") {
		t.Errorf("the address is %q", address)
	}
	if got := (Screen{}).Linked("/a.md", "ISS-1"); got != "ISS-1" {
		t.Errorf("without Links: %q", got)
	}
}
