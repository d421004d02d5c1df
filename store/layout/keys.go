package layout

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"issues-index/store/pattern"
)

// Keys are the keys of the frontmatter that the program writes where a document has none
// for the same thing yet, and how it writes times.
type Keys struct {
	Created string // key of the time that a document was made
	Updated string // key of its last change
	Closed  string // key of when it was finished, "" where that is not written

	DateFormat string // of a new time, in the words of dateFormats

	// StampUpdates is false where no time of the last change is written: two branches that
	// change one document then do not conflict over it, and the time is that of the commit.
	StampUpdates bool

	DependsOn string // key of the documents that it waits for
	Parent    string // key of its parent

	// DescriptionHeading is the heading of the text of new documents, "" for none.
	DescriptionHeading string
}

// ContextParent is the key of parents where no other is configured: it lies in the block
// wranglerContext.
const ContextParent = "wranglerContext.parentTaskId"

// The keys of links that are read, each of which may be the one that is written.
var (
	dependencyKeys = []string{"dependsOn", "depends_on", "dependencies", "blockedBy", "blocked_by"}
	parentKeys     = []string{ContextParent, "parent", "parentTaskId", "parent_task_id"}
)

// dateFormats are the formats of times in UTC, the usual one first, in words and for
// package time.
var dateFormats = []struct{ words, layout string }{
	{"yyyy-mm-ddThh:mm:ss.sssZ", "2006-01-02T15:04:05.000Z"},
	{"yyyy-mm-ddThh:mm:ssZ", "2006-01-02T15:04:05Z"},
	{"yyyy-mm-dd hh:mm:ss", "2006-01-02 15:04:05"},
	{"yyyy-mm-dd hh:mm", "2006-01-02 15:04"},
	{"yyyy-mm-dd", "2006-01-02"},
}

// defaultKeys are those of a workspace that configures none.
var defaultKeys = Keys{
	Created: "createdAt", Updated: "updatedAt", Closed: "closedAt", DateFormat: dateFormats[0].words, StampUpdates: true,
	DependsOn: "dependsOn", Parent: ContextParent,
}

// TimeLayout is the format of new times for package time.
func (k *Keys) TimeLayout() string {
	for _, f := range dateFormats {
		if f.words == k.DateFormat {
			return f.layout
		}
	}
	return dateFormats[0].layout
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
		"which is one of " + strings.Join(formatWords(), ", ")
	allowedLinks = "a block of dependsOn (" + strings.Join(dependencyKeys, ", ") + ") " +
		"and parent (" + strings.Join(parentKeys, ", ") + ")"
	allowedHeading = fmt.Sprintf("one line of at most %d printable characters, without #", maxName)
	dateKey        = pattern.Lazy(`^[A-Za-z_][A-Za-z0-9_-]{0,39}$`)
)

func formatWords() []string {
	var list []string
	for _, f := range dateFormats {
		list = append(list, f.words)
	}
	return list
}

// dates reads the keys of times and their format. Where they are configured, closed is
// written only if it has a key there.
func (d *decoder) dates(node *yaml.Node) {
	k := &d.layout.Keys
	k.Closed = ""
	keys := map[string]*string{"created": &k.Created, "updated": &k.Updated, "closed": &k.Closed}
	d.block(node, allowedDates, []string{"created", "updated", "closed", "format"}, func(name string, value *yaml.Node) {
		if name == "format" {
			k.DateFormat = d.oneOf(value, name, formatWords())
			return
		}
		allowed := "a key of the frontmatter that means nothing else, like " + name + "_date"
		*keys[name] = d.text(value, name, allowed, func(key string) bool {
			return dateKey().MatchString(key) && !slices.Contains(slices.Concat(reservedKeys, dependencyKeys, parentKeys), key)
		})
	})
	if k.Created == k.Updated || k.Closed != "" && (k.Closed == k.Created || k.Closed == k.Updated) {
		d.invalid(node, allowedDates, "two times have the same key")
	}
}

// links reads which of the keys of links are written.
func (d *decoder) links(node *yaml.Node) {
	d.block(node, allowedLinks, []string{"dependsOn", "parent"}, func(name string, value *yaml.Node) {
		if name == "parent" {
			d.layout.Parent = d.oneOf(value, name, parentKeys)
		} else {
			d.layout.DependsOn = d.oneOf(value, name, dependencyKeys)
		}
	})
}

// stampUpdates reads whether changes write their time.
func (d *decoder) stampUpdates(node *yaml.Node) {
	if d.plain(node) && (node.ShortTag() != "!!bool" || node.Decode(&d.layout.StampUpdates) != nil) {
		d.problem(node.Line, "invalid stampUpdates %s: must be %s", quoted(node), allowedStamping)
	}
}

// heading reads the heading of new texts.
func (d *decoder) heading(node *yaml.Node) {
	d.layout.DescriptionHeading = d.text(node, d.key, allowedHeading, func(text string) bool {
		return len(text) <= maxName && !strings.Contains(text, "#")
	})
}

// A dateSettings is the keys of times for JSON.
type dateSettings struct {
	Created string `json:"created"`
	Updated string `json:"updated"`
	Closed  string `json:"closed,omitempty"`
	Format  string `json:"format"`
}

func (k *Keys) dateData() dateSettings {
	return dateSettings{k.Created, k.Updated, k.Closed, k.DateFormat}
}

// dateText is the keys of times for people.
func (k *Keys) dateText() string {
	text := "created: " + k.Created + ", updated: " + k.Updated
	if k.Closed != "" {
		text += ", closed: " + k.Closed
	}
	return text + ", format: " + k.DateFormat
}

// linkText is the keys of links for people.
func (k *Keys) linkText() string { return "dependsOn: " + k.DependsOn + ", parent: " + k.Parent }
