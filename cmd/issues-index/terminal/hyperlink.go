package terminal

import (
	"cmp"
	"slices"
	"strings"
)

// canLink reports whether the terminal understands hyperlinks (OSC 8), as far as the environment
// says: those that tell their name do, but for one. Others may print the address. FORCE_HYPERLINK
// says it for certain, with 1 or 0. Programs that run terminals in a terminal hide which one it is.
func canLink(getenv func(string) string) bool {
	if forced := getenv("FORCE_HYPERLINK"); forced != "" {
		return forced != "0"
	}
	terminal := getenv("TERM")
	if getenv("TMUX") != "" || strings.HasPrefix(terminal, "screen") || strings.HasPrefix(terminal, "tmux") {
		return false
	}
	name := cmp.Or(getenv("TERM_PROGRAM"), getenv("VTE_VERSION"), getenv("WT_SESSION"), getenv("KONSOLE_VERSION"))
	return name != "" && name != "Apple_Terminal" ||
		slices.Contains([]string{"xterm-kitty", "xterm-ghostty", "alacritty", "foot", "contour"}, terminal)
}
