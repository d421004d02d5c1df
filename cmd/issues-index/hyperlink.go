package main

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// linkingTerminals are the values of TERM_PROGRAM and TERM of terminals that understand
// hyperlinks (OSC 8). Others may print the address.
var linkingTerminals = []string{
	"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio",
	"xterm-kitty", "xterm-ghostty", "alacritty", "foot", "foot-extra", "contour",
}

// leastVTE is the first version of the terminal of GNOME and others with hyperlinks
// that work.
const leastVTE = 5000

// canLink reports whether the terminal understands hyperlinks, as far as the environment
// says. FORCE_HYPERLINK says it for certain, with 1 or 0. Programs that run terminals in a
// terminal hide which one it is.
func canLink(getenv func(string) string) bool {
	if forced := getenv("FORCE_HYPERLINK"); forced != "" {
		return forced != "0"
	}
	terminal := getenv("TERM")
	if getenv("TMUX") != "" || strings.HasPrefix(terminal, "screen") || strings.HasPrefix(terminal, "tmux") {
		return false
	}
	vte, err := strconv.Atoi(getenv("VTE_VERSION"))
	return err == nil && vte >= leastVTE || getenv("WT_SESSION") != "" || getenv("KONSOLE_VERSION") != "" ||
		slices.Contains(linkingTerminals, getenv("TERM_PROGRAM")) || slices.Contains(linkingTerminals, terminal)
}

// linked makes text a link to a file where the screen has links.
func (s screen) linked(file, text string) string {
	if !s.links || file == "" {
		return text
	}
	host, _ := os.Hostname() // a terminal opens no link to a file of another host
	at := url.URL{Scheme: "file", Host: host, Path: "/" + strings.TrimPrefix(filepath.ToSlash(file), "/")}
	return "\x1b]8;;" + at.String() + "\x1b\\" + text + "\x1b]8;;\x1b\\"
}
