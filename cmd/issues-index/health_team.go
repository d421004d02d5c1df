package main

import (
	"fmt"

	"issues-index/index/team/publish"
	"issues-index/store/words"
)

// printTeam prints how the documents are published to the team, by fields of health.
func (p *program) printTeam(s publish.PublisherStatus, field func(name, value, colour string)) {
	running := s.Process.Running
	switch by := fmt.Sprintf("process %d on %s", s.Process.PID, s.Process.Host); {
	case s.Idle != "":
		field("published", "nothing: "+s.Idle, plain)
	case !running:
		field("published", "by nobody at the moment: a server publishes the documents while it runs, or issues-index publish", plain)
	case s.Process.Noted.IsZero():
		field("published", "a process has just begun with it", plain)
	case s.Branch == "":
		field("published", "nothing yet, by "+by, plain)
	case s.MainHolder != "":
		field("published", fmt.Sprintf("as the line %s of %s, by %s; %s publishes the main line", s.Branch, s.Workspace, by, s.MainHolder), plain)
	default:
		field("published", fmt.Sprintf("as the line %s of %s, by %s", s.Branch, s.Workspace, by), plain)
	}
	field("last published", p.timeText(s.Published), plain)
	switch {
	case !running || s.Process.Noted.IsZero():
	case s.Connected:
		field("cluster", "connected since "+p.timeText(s.Since), plain)
	default:
		field("cluster", fmt.Sprintf("away since %s: %s", p.timeText(s.Since), s.Reason), yellow)
	}
	switch {
	case s.Waiting == 0:
		field("waiting", "none", plain)
	case s.WaitingSince.IsZero():
		field("waiting", words.Count(s.Waiting, "document"), yellow)
	default:
		field("waiting", words.Count(s.Waiting, "document")+" since "+p.timeText(s.WaitingSince), yellow)
	}
	if n := len(s.Problems); n > 0 {
		field("not published", words.Count(n, "document")+"; issues-index check lists them", yellow)
	}
	for _, m := range s.Unused {
		field("not used", unusedText(m), yellow)
	}
	switch {
	case s.Refused:
		field("refused", s.LastError, red)
	case s.Connected:
		field("last error", s.LastError, yellow)
	}
}
