package layout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"issues-index/store/pattern"
)

// Keys are the keys of the frontmatter that the program writes where a document has none
// for the same thing yet, and how it writes times.
type Keys struct {
	Dates
	// StampUpdates is false where no time of the last change is written: two branches that
	// change one document then do not conflict over it, and the time is that of the commit.
	StampUpdates bool
	Links
	// DescriptionHeading is the heading of the text of new documents, "" for none.
	DescriptionHeading string
}

// Dates are the keys of times.
type Dates struct {
	Created    string `json:"created"`          // when a document was made
	Updated    string `json:"updated"`          // its last change
	Closed     string `json:"closed,omitempty"` // when it was finished, "" where that is not written
	DateFormat string `json:"format"`           // of a new time, one of dateFormats
}

// Links are the keys of links.
type Links struct {
	DependsOn string `json:"dependsOn"` // the documents that it waits for
	Parent    string `json:"parent"`
}

// ContextParent is the key of parents where no other is configured: it lies in the block
// wranglerContext.
const ContextParent = "wranglerContext.parentTaskId"

// The keys of links that are read, each of which may be the key that is written.
var (
	dependencyKeys = []string{"dependsOn", "depends_on", "dependencies", "blockedBy", "blocked_by"}
	parentKeys     = []string{ContextParent, "parent", "parentTaskId", "parent_task_id"}
)

// dateFormats are the formats of times in UTC, the usual one first, and timeLayouts are the
// same ones for package time.
var (
	dateFormats = []string{
		"yyyy-mm-ddThh:mm:ss.sssZ", "yyyy-mm-ddThh:mm:ssZ", "yyyy-mm-dd hh:mm:ss", "yyyy-mm-dd hh:mm", "yyyy-mm-dd",
	}
	timeLayouts = []string{
		"2006-01-02T15:04:05.000Z", "2006-01-02T15:04:05Z", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02",
	}
)

// defaultKeys are those of a workspace that configures none.
var defaultKeys = Keys{
	Dates: Dates{"createdAt", "updatedAt", "closedAt", dateFormats[0]}, StampUpdates: true,
	Links: Links{"dependsOn", ContextParent},
}

// TimeLayout is the format of new times for package time.
func (k *Keys) TimeLayout() string {
	return timeLayouts[max(slices.Index(dateFormats, k.DateFormat), 0)]
}

// reservedKeys mean something else than a time.
var reservedKeys = []string{
	"id", "title", "type", "status", "priority", "labels", "assignee", "project", "wranglerContext",
	"deferUntil", "defer_until",
	"blocks", "blocking", "relatesTo", "relates_to", "duplicateOf", "duplicate_of", "discoveredFrom", "discovered_from",
}

const allowedStamping = "true or false"

var (
	allowedDates = "a block of created, updated and closed with a key of the frontmatter each, and format, " +
		"which is one of " + strings.Join(dateFormats, ", ")
	allowedLinks = "a block of dependsOn (" + strings.Join(dependencyKeys, ", ") + ") " +
		"and parent (" + strings.Join(parentKeys, ", ") + ")"
	allowedHeading = fmt.Sprintf("one line of at most %d printable characters, without #", maxName)
	dateKey        = pattern.Lazy(`^[A-Za-z_][A-Za-z0-9_-]{0,39}$`)
)

// dates reads the keys of times and their format. Where they are configured, closed is
// written only if it has a key there.
func (d *decoder) dates() {
	var block map[string]string
	if !d.decode(&block) || !known(d, block, "created", "updated", "closed", "format") {
		return
	}
	k := &d.layout.Keys
	k.Created, k.Updated = cmp.Or(block["created"], k.Created), cmp.Or(block["updated"], k.Updated)
	k.Closed = block["closed"]
	for name, key := range block {
		if name == "format" {
			d.oneOf(name, key, dateFormats)
			k.DateFormat = key
			continue
		}
		allowed := "a key of the frontmatter that means nothing else, like " + name + "_date"
		d.text(name, key, allowed, func(key string) bool {
			return dateKey().MatchString(key) && !slices.Contains(slices.Concat(reservedKeys, dependencyKeys, parentKeys), key)
		})
	}
	if k.Created == k.Updated || k.Closed == k.Created || k.Closed == k.Updated {
		d.problem("", "invalid dates: two times have the same key")
	}
}

// links reads which of the keys of links are written.
func (d *decoder) links() {
	var block map[string]string
	if !d.decode(&block) || !known(d, block, "dependsOn", "parent") {
		return
	}
	if key, ok := block["parent"]; ok && d.oneOf("parent", key, parentKeys) {
		d.layout.Parent = key
	}
	if key, ok := block["dependsOn"]; ok && d.oneOf("dependsOn", key, dependencyKeys) {
		d.layout.DependsOn = key
	}
}

// stampUpdates reads whether changes write their time.
func (d *decoder) stampUpdates() { d.decode(&d.layout.StampUpdates) }

// heading reads the heading of new texts.
func (d *decoder) heading() {
	d.oneText(&d.layout.DescriptionHeading, func(text string) bool {
		return len(text) <= maxName && !strings.Contains(text, "#")
	})
}
