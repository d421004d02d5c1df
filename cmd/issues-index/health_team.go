package main

import (
	"fmt"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index/team/publish"
	"issues-index/store/words"
)

// layTeam lays out how the documents are published to the team.
func layTeam(page *terminal.Page, s publish.PublisherStatus) {
	field := page.Field
	running := s.Process.Running
	switch by := fmt.Sprintf("process %d on %s", s.Process.PID, s.Process.Host); {
	case s.Idle != "":
		field("published", "nothing: "+s.Idle, terminal.Plain)
	case !running:
		field("published", "by no process at the moment: a server publishes the documents while it runs, or issues-index publish", terminal.Plain)
	case s.Process.Noted.IsZero():
		field("published", "a process has just begun with it", terminal.Plain)
	case s.Branch == "":
		field("published", "nothing yet, by "+by, terminal.Plain)
	case s.MainHolder != "":
		field("published", fmt.Sprintf("as the line %s of %s, by %s; %s publishes the main line", s.Branch, s.Workspace, by, s.MainHolder), terminal.Plain)
	default:
		field("published", fmt.Sprintf("as the line %s of %s, by %s", s.Branch, s.Workspace, by), terminal.Plain)
	}
	field("last published", page.Time(s.Published), terminal.Plain)
	switch {
	case !running || s.Process.Noted.IsZero():
	case s.Connected:
		field("cluster", "connected since "+page.Time(s.Since), terminal.Plain)
	default:
		field("cluster", fmt.Sprintf("away since %s: %s", page.Time(s.Since), s.Reason), terminal.Yellow)
	}
	switch {
	case s.Waiting == 0:
		field("waiting", "none", terminal.Plain)
	case s.WaitingSince.IsZero():
		field("waiting", words.Count(s.Waiting, "document"), terminal.Yellow)
	default:
		field("waiting", words.Count(s.Waiting, "document")+" since "+page.Time(s.WaitingSince), terminal.Yellow)
	}
	if n := len(s.Problems); n > 0 {
		field("not published", words.Count(n, "document")+"; issues-index check lists them", terminal.Yellow)
	}
	for _, m := range s.Unused {
		field("not used", unusedText(m), terminal.Yellow)
	}
	switch {
	case s.Refused:
		field("refused", s.LastError, terminal.Red)
	case s.Connected:
		field("last error", s.LastError, terminal.Yellow)
	}
}
