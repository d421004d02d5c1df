package config

import "time"

// TeamSettings say how a workspace is shared with a team, not at all without a URL.
type TeamSettings struct {
	URLs        []string      // of nodes of the team's cluster
	Workspace   string        // name of the workspace that is served, "" for the one among the names of workspaces
	Line        string        // LineAuto, or the name of the line that a checkout publishes
	Publish     string        // one of PublishAuto, PublishMain and PublishOff
	Claims      string        // one of ClaimsAuto, ClaimsCluster and ClaimsOff
	Timeout     time.Duration // of one question to the cluster
	Credentials string        // path of the file, "" for none
	CAFile      string        // path, "" for the system's authorities
	CertFile    string        // path, "" for none
	KeyFile     string        // path, "" for none
}

// On reports whether there is a team.
func (t TeamSettings) On() bool { return len(t.URLs) > 0 }

// HubSettings say what a hub holds.
type HubSettings struct {
	Dir        string        // its folder, "" for its default
	Workspaces []string      // empty for all
	Lines      []string      // names of lines
	FreshWait  time.Duration // how long an answer waits for what was written before
}

const (
	// LineAuto has a checkout of the default branch publish the main line, and others one of
	// their own.
	LineAuto = "auto"
	// AllLines among the lines of a hub stands for all there are.
	AllLines = "all"
)

// What of a workspace is published.
const (
	PublishAuto = "auto" // by every checkout
	PublishMain = "main" // by checkouts of the default branch alone
	PublishOff  = "off"
)

// How claims and ids are agreed with the team.
const (
	ClaimsAuto    = "auto"    // a claim needs the cluster
	ClaimsCluster = "cluster" // an older word for auto
	ClaimsOff     = "off"     // by the local rules alone
)
