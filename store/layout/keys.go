package layout

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"issues-index/store/pattern"
	"issues-index/store/yamlfile"
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
var reservedKeys = []string{"id", "title", "type", "status", "priority", "labels", "assignee", "project", "wranglerContext", "deferUntil", "defer_until",
	"blocks", "blocking", "relatesTo", "relates_to", "duplicateOf", "duplicate_of", "discoveredFrom", "discovered_from"}

var (
	allowedDates   = "a block of created, updated and closed with a key of the frontmatter each, and format, which is one of " + strings.Join(formatWords(), ", ")
	allowedLinks   = "a block of dependsOn (" + strings.Join(dependencyKeys, ", ") + ") and parent (" + strings.Join(parentKeys, ", ") + ")"
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
func (r *reader) dates(node *yaml.Node) {
	if node.Kind != yaml.MappingNode || len(node.Content) == 0 {
		r.invalid(node, allowedDates, "this is "+yamlfile.Describe(node))
		return
	}
	before := len(r.problems)
	k := r.layout.Keys
	k.Closed = ""
	keys := map[string]string{}
	r.members(node, []string{"created", "updated", "closed", "format"}, func(name string, value *yaml.Node) {
		if name == "format" {
			if k.DateFormat = r.oneOf(value, name, formatWords()); k.DateFormat == "" {
				k.DateFormat = defaultKeys.DateFormat
			}
			return
		}
		key := value.Value
		switch taken := slices.Concat(reservedKeys, dependencyKeys, parentKeys); {
		case value.Kind != yaml.ScalarNode || yamlfile.IsNull(value) || !dateKey().MatchString(key) || slices.Contains(taken, key):
			r.problem(value.Line, "invalid %s %s: must be a key of the frontmatter that means nothing else, like %s_date", name, quoted(value), name)
			return
		case keys[key] != "":
			r.problem(value.Line, "%s is the key of %s already", key, keys[key])
			return
		}
		keys[key] = name
		switch name {
		case "created":
			k.Created = key
		case "updated":
			k.Updated = key
		case "closed":
			k.Closed = key
		}
	})
	if len(r.problems) > before {
		return
	}
	if k.Created == k.Updated || k.Closed == k.Created || k.Closed == k.Updated {
		r.invalid(node, allowedDates, "two times have the same key")
		return
	}
	r.layout.Keys = k
}

// links reads which of the keys of links are written.
func (r *reader) links(node *yaml.Node) {
	if node.Kind != yaml.MappingNode || len(node.Content) == 0 {
		r.invalid(node, allowedLinks, "this is "+yamlfile.Describe(node))
		return
	}
	r.members(node, []string{"dependsOn", "parent"}, func(name string, value *yaml.Node) {
		if name == "dependsOn" {
			if key := r.oneOf(value, name, dependencyKeys); key != "" {
				r.layout.DependsOn = key
			}
		} else if key := r.oneOf(value, name, parentKeys); key != "" {
			r.layout.Parent = key
		}
	})
}

// oneOf reads one of several texts, "" with a problem for another one.
func (r *reader) oneOf(node *yaml.Node, name string, allowed []string) string {
	if node.Kind != yaml.ScalarNode || !slices.Contains(allowed, node.Value) {
		r.problem(node.Line, "invalid %s %s: must be one of %s", name, quoted(node), strings.Join(allowed, ", "))
		return ""
	}
	return node.Value
}

// heading reads the heading of new texts.
func (r *reader) heading(node *yaml.Node) {
	if !isText(node, maxName) || strings.Contains(node.Value, "#") {
		r.problem(node.Line, "invalid descriptionHeading %s: must be %s", quoted(node), allowedHeading)
		return
	}
	r.layout.DescriptionHeading = node.Value
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
