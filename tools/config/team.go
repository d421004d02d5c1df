package config

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"issues-index/store/mirror"
)

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

// teamKeys are the keys of a team and of its hubs. A repository sets none: it would decide to
// whom the documents are sent.
func teamKeys() []*Key {
	empty := shown("")
	return []*Key{
		key("team.url", "ISSUES_INDEX_TEAM_URL", clusterNodes(), nil,
			func(c *Config) *[]string { return &c.Team.URLs }, "nodes of the team's NATS cluster; without one nothing is shared", empty, restart, usersOwn),
		key("team.workspace", "ISSUES_INDEX_TEAM_WORKSPACE", sharedName(), "",
			func(c *Config) *string { return &c.Team.Workspace }, "name by which the team knows the workspace; without one it is shared if workspaces names it", flag("team-workspace"), empty, restart, usersOwn),
		key("team.line", "ISSUES_INDEX_TEAM_LINE", sharedName(), LineAuto,
			func(c *Config) *string { return &c.Team.Line }, "line that this checkout publishes; auto is main on the default branch, and a name of its own elsewhere", restart, usersOwn),
		key("team.publish", "ISSUES_INDEX_TEAM_PUBLISH", oneOf(PublishAuto, PublishMain, PublishOff), PublishAuto,
			func(c *Config) *string { return &c.Team.Publish }, "what is published: main leaves out work on other branches", restart, usersOwn),
		key("team.claims", "ISSUES_INDEX_TEAM_CLAIMS", oneOf(ClaimsAuto, ClaimsCluster, ClaimsOff), ClaimsAuto,
			func(c *Config) *string { return &c.Team.Claims }, "how claims and ids are agreed with the team: with auto, or cluster, the cluster is asked for each, and off asks for none", restart, usersOwn),
		key("team.timeout", "ISSUES_INDEX_TEAM_TIMEOUT", duration(100*time.Millisecond, time.Minute), 2*time.Second,
			func(c *Config) *time.Duration { return &c.Team.Timeout }, "how long the cluster may take to answer", restart, usersOwn),
		key("team.credentials", "ISSUES_INDEX_TEAM_CREDENTIALS", place(), "",
			func(c *Config) *string { return &c.Team.Credentials }, "file with the seed of an NKEY, or a .creds file, for the cluster", empty, restart, usersOwn),
		key("team.caFile", "ISSUES_INDEX_TEAM_CA_FILE", place(), "",
			func(c *Config) *string { return &c.Team.CAFile }, "certificates of the authorities that the cluster's are checked with", shown("the system's"), restart, usersOwn),
		key("team.certFile", "ISSUES_INDEX_TEAM_CERT_FILE", place(), "",
			func(c *Config) *string { return &c.Team.CertFile }, "certificate that the cluster is shown", empty, restart, usersOwn),
		key("team.keyFile", "ISSUES_INDEX_TEAM_KEY_FILE", place(), "",
			func(c *Config) *string { return &c.Team.KeyFile }, "key of that certificate", empty, restart, usersOwn),
		key("hub.dir", "ISSUES_INDEX_HUB_DIR", place(), "",
			func(c *Config) *string { return &c.Hub.Dir }, "folder of a hub: it can be deleted at any time", flag("dir"), shown("hub in the program's folder of the user's cache"), restart, usersOwn),
		key("hub.workspaces", "ISSUES_INDEX_HUB_WORKSPACES", sharedNames(), nil,
			func(c *Config) *[]string { return &c.Hub.Workspaces }, "workspaces that a hub holds", flag("workspaces"), shown("all"), restart, usersOwn),
		key("hub.lines", "ISSUES_INDEX_HUB_LINES", sharedNames(), []string{mirror.Main},
			func(c *Config) *[]string { return &c.Hub.Lines }, "lines that a hub holds; all adds the work of branches that is not merged", flag("lines"), restart, usersOwn),
		key("hub.freshWait", "ISSUES_INDEX_HUB_FRESH_WAIT", duration(0, time.Minute), 2*time.Second,
			func(c *Config) *time.Duration { return &c.Hub.FreshWait }, "how long a hub waits to show what was written through it", restart, usersOwn),
	}
}

var errPassword = errors.New("a password does not belong there: put it into a file and name that as team.credentials")

// clusterSchemes are the ways to reach a node.
var clusterSchemes = []string{"nats", "tls", "ws", "wss"}

// clusterNodes are addresses of nodes of a NATS cluster.
func clusterNodes() valueType[[]string] {
	return valueType[[]string]{
		allowed: "a list of addresses like tls://nats1.example.org:4222, with nats, tls, ws or wss",
		list:    true,
		parse: func(r raw) (list []string, err error) {
			for text := range strings.SplitSeq(r.text, ",") {
				text = strings.TrimSpace(text)
				u, err := url.Parse(text)
				switch {
				case err != nil || !slices.Contains(clusterSchemes, u.Scheme) || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "":
					return nil, errNotAllowed
				case u.User != nil:
					return nil, errPassword
				}
				list = append(list, text)
			}
			return list, nil
		},
		format: func(list []string) string { return strings.Join(list, ", ") },
	}
}

// sharedName is the name of a workspace or a line.
func sharedName() valueType[string] {
	return checked("1 to 64 lower-case letters, digits and hyphens", func(text string) (string, bool) { return text, mirror.IsName(text) })
}

// sharedNames are some of these.
func sharedNames() valueType[[]string] {
	one := sharedName()
	return valueType[[]string]{
		allowed: "a list of names of lower-case letters, digits and hyphens",
		list:    true,
		parse: func(r raw) (list []string, err error) {
			for word := range strings.SplitSeq(r.text, ",") {
				name, err := one.parse(raw{text: strings.TrimSpace(word)})
				if err != nil {
					return nil, err
				}
				list = append(list, name)
			}
			return list, nil
		},
		format: func(list []string) string { return strings.Join(list, ", ") },
	}
}
