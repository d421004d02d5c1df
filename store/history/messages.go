package history

import (
	"context"
	"strings"
	"time"

	"issues-index/store"
	"issues-index/store/git"
	"issues-index/store/pattern"
)

// mostMessages is how many of the newest commits are looked through for ids: they are read in
// about 0.1 s.
const mostMessages = 5000

// A NamingCommit is a commit whose message names a document.
type NamingCommit struct {
	Commit  string    `json:"commit"` // whole
	Author  string    `json:"author"` // as written
	Subject string    `json:"subject"`
	Time    time.Time `json:"time"`
	// Closes is true where a word such as "closes" or "fixes" stands before the id, unless
	// the commit was reverted.
	Closes bool `json:"closes,omitempty"`
}

// Messages are what the newest commits say of documents.
type Messages map[string][]NamingCommit // by an id in the form of store.FoldID, the newest first

// Naming returns the newest commits that name a document, as many as most.
func (m Messages) Naming(id string, most int) []NamingCommit {
	all := m[store.FoldID(id)]
	return all[:min(len(all), most)]
}

// mainBranches are where the main branch may be.
var mainBranches = []string{"refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"}

// reverts is how git names the commit that a commit takes back.
var reverts = pattern.Lazy(`This reverts commit ([0-9a-f]{40,64})`)

// ReadMessages reads the messages of the 5,000 newest commits (mostMessages) up to HEAD, or only
// those that the main branch has, too: main or master, or what the clone's origin has as such.
// Without such a branch it reads all. Errors: *UnreadableError where there is no history.
func ReadMessages(ctx context.Context, ws *store.Workspace, onMain bool) (Messages, error) {
	repo, err := openRepository(ctx, ws)
	if err != nil {
		return nil, err
	}
	var branches, tips []string
	if onMain {
		branches = mainBranches
	}
	known := false
	for _, branch := range branches {
		tip, err := repo.Resolve(ctx, branch)
		if err != nil {
			continue
		}
		known = true
		if base, err := repo.MergeBase(ctx, tip, repo.Head); err == nil {
			tips = append(tips, base)
		}
	}
	switch {
	case !known:
		tips = []string{repo.Head}
	case len(tips) == 0:
		return nil, ctx.Err()
	}
	m, reverted := make(Messages), make(map[string]bool)
	return m, repo.Messages(ctx, tips, mostMessages, func(c git.Commit) {
		message := c.Subject
		takesBack := reverts().FindStringSubmatch(message)
		if takesBack != nil && !reverted[c.Hash] {
			reverted[takesBack[1]] = true
		}
		subject, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
		for id, closes := range idsIn(ws, message) {
			closes = closes && !reverted[c.Hash] && takesBack == nil
			m[id] = append(m[id], NamingCommit{c.Hash, c.Author, subject, c.Time, closes})
		}
	})
}

var (
	// closing is a word before an id that closes it, as on GitHub and GitLab.
	closing = pattern.Lazy(`(?i)(?:^|[^\pL\d_-])(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)):?[ \t]+$`)
	// listing stands between the ids that one such word closes.
	listing = pattern.Lazy(`(?i)^(?:[ \t]*[,&][ \t]*(?:and[ \t]+)?|[ \t]+(?:and[ \t]+)?)$`)
)

// idsIn returns the ids in a message, in the form of store.FoldID, and whether it closes them.
// A number alone is no id: #12 is an issue of the code host.
func idsIn(ws *store.Workspace, message string) map[string]bool {
	const longest = 40 // bytes of a closing word and what is around it
	ids := make(map[string]bool)
	closes, last := false, 0
	for start, end := range ws.Layout.Mentions(message) {
		between := message[max(last, start-longest):start]
		closes = closes && listing().MatchString(between) || closing().MatchString(between)
		id := store.FoldID(message[start:end])
		ids[id], last = ids[id] || closes, end
	}
	return ids
}
