// Package layout is how a workspace's documents are laid out, where that is not the
// program's own way: the words of their statuses and priorities, their folders, their ids
// and file names, and the keys of their frontmatter. The workspace's configuration file
// says it, in keys that lie beside those of the program:
//
//	folders: {issue: docs/tasks}
//	idPattern: TASK-{n}
//	statuses:
//	  - {name: To Do, category: open}
//	  - {name: In Progress, category: active}
//	  - {name: Done, category: done}
//	priorities: [low, medium, high]     # the least urgent first
//
// It opens no file but is given its bytes, and knows nothing of the program's own settings,
// or of what is done with a layout. Invariants:
//   - a [Layout] is complete, valid and never changed;
//   - every problem is reported at once, with its line and with what is allowed;
//   - what a stranger's file can ask for is bounded.
package layout

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"issues-index/store/orderedjson"
	"issues-index/store/words"
	"issues-index/store/yamlfile"
)

// File is the configuration file of a workspace, relative to its root.
const File = ".wrangler/config/issues-index.yaml"

// A Layout says how the documents of a workspace are laid out.
type Layout struct {
	Wording
	Places
	Naming
	Keys
}

var standard = Layout{Wording: defaultWording, Places: defaultPlaces, Naming: defaultNaming, Keys: defaultKeys}

// Default is the layout of a workspace whose file says nothing.
func Default() *Layout { return &standard }

// A Property is one key of a layout.
type Property struct {
	Name    string
	Default string // as text
	Allowed string // what the value must be
	Doc     string // one phrase

	read  func(d *decoder)
	field string // of a Layout
}

// Properties are the keys of a layout, in the order of the documentation.
func Properties() []*Property {
	all := []*Property{
		{
			Name: "statuses", Allowed: allowedStatuses, read: (*decoder).statuses, field: "Statuses",
			Doc: "the statuses of this workspace's documents, in their order; the first open one is that of new documents",
		},
		{
			Name: "priorities", Allowed: allowedPriorities, read: (*decoder).priorities, field: "Priorities",
			Doc: "the priorities of this workspace's documents, the least urgent first; " +
				"a document without one counts as medium, else as the middle one",
		},
		{
			Name: "folders", Allowed: allowedFolders, read: (*decoder).folders, field: "Folders",
			Doc: "the folders of the documents of each type, all of which are read; new documents go to the first one",
		},
		{
			Name: "archive", Allowed: allowedArchive, read: (*decoder).archive, field: "Archive",
			Doc: "the folder that finished documents move to: the one of folders with this name, " +
				"else one of this name in the folder of its type; none leaves them where they are",
		},
		{
			Name: "idPattern", Allowed: allowedIDPattern, read: (*decoder).ids, field: "IDs",
			Doc: "the ids of new documents",
		},
		{
			Name: "idScheme", Allowed: allowedScheme, read: (*decoder).idScheme, field: "IDScheme",
			Doc: "how the ids of new documents are told apart: hash makes ISS-k3f9q, which two branches do not both make",
		},
		{
			Name: "fileName", Allowed: allowedFileName, read: (*decoder).fileName, field: "FileName",
			Doc: "the names of new files, without .md",
		},
		{
			Name: "dates", Allowed: allowedDates, read: (*decoder).dates, field: "Dates",
			Doc: "the keys of the times that are written, in UTC, where a document has none yet; " +
				"without closed none is",
		},
		{
			Name: "stampUpdates", Allowed: allowedStamping, read: (*decoder).stampUpdates, field: "StampUpdates",
			Doc: "whether changes write the time of the last change; without it that is the time of " +
				"the last commit that touched the file, and branches do not conflict over it",
		},
		{
			Name: "links", Allowed: allowedLinks, read: (*decoder).links, field: "Links",
			Doc: "the keys of links that are written where a document has none yet",
		},
		{
			Name: "descriptionHeading", Allowed: allowedHeading, read: (*decoder).heading, field: "DescriptionHeading",
			Doc: "the heading of the text of new documents that begin without one",
		},
	}
	for _, p := range all {
		p.Default = text(p.Standard())
	}
	return all
}

// in is what the property says in a layout. As JSON it is what its key says.
func (p *Property) in(l *Layout) any {
	return reflect.ValueOf(l).Elem().FieldByName(p.field).Interface()
}

// text is the data of a property for people.
func text(data any) string {
	var parts []string
	switch data := data.(type) {
	case []string:
		parts = data
	case []Status:
		for _, s := range data {
			parts = append(parts, s.Name+" ("+string(s.Category)+")")
		}
	case map[string][]string:
		for _, docType := range Types {
			if folders := strings.Join(data[docType], ", "); folders != "" {
				parts = append(parts, docType+": "+folders)
			}
		}
		return words.Cut(strings.Join(parts, "; "), maxPath)
	case map[string]IDPattern:
		for _, docType := range Types {
			parts = append(parts, data[docType].String())
		}
	case Dates, Links:
		written, _ := orderedjson.Marshal(data)
		object, _ := orderedjson.Parse(written)
		for _, m := range object {
			parts = append(parts, m.Name+": "+strings.Trim(string(m.Value), `"`))
		}
	default:
		return fmt.Sprint(data)
	}
	return strings.Join(parts, ", ")
}

// A KeyProblem is one thing that is wrong with a layout.
type KeyProblem struct {
	Line    int    // of the file, from 1; 0 when no one line is to blame
	Key     string // "" for the whole file
	Message string
}

func (p KeyProblem) String() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", File, p.Line, p.Message)
	}
	return File + ": " + p.Message
}

// An InvalidError has all that is wrong with a layout.
type InvalidError struct {
	Problems []KeyProblem
}

func (e *InvalidError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Parse reads the layout in a workspace's configuration file, and passes over the other
// keys there. Errors: *InvalidError.
func Parse(data []byte) (*Layout, error) {
	d := decoder{layout: *Default(), property: new(Property), node: new(yaml.Node)}
	root, err := yamlfile.Decode(data)
	d.refuse(err)
	if root != nil {
		d.file(root)
	}
	if len(d.problems) > 0 {
		return nil, &InvalidError{d.problems}
	}
	return &d.layout, nil
}

// file reads the keys of a file.
func (d *decoder) file(root *yaml.Node) {
	if d.node = root; root.Kind != yaml.MappingNode {
		d.problem("", "the file must be a block of keys, not %s", yamlfile.Describe(root))
		return
	}
	values := map[string]*yaml.Node{}
	for pair := range slices.Chunk(root.Content, 2) {
		name := pair[0].Value
		for _, p := range Properties() {
			if name != p.Name {
				continue
			}
			d.property, d.node = p, pair[1]
			if first := values[name]; first != nil {
				d.problem("", "%s is there twice, first in line %d", name, first.Line)
			}
			values[name] = d.node
			p.read(d)
		}
	}
	if d.layout.IDScheme != SchemeHash {
		return
	}
	d.node = values["idScheme"]
	for _, docType := range Types {
		if d.layout.IDs[docType].Prefix == "" { // a file's name could begin with a word that looks like a hash
			d.problem("", "invalid idScheme hash: the ids of %s are nothing but a number: "+
				"give them a prefix in idPattern, as in ISS-{n}", docType)
		}
	}
}

// Misspelt returns an *InvalidError about keys of a file that are none of a layout but
// resemble one. A server takes such a file for a mistake of the moment: read without the key,
// the workspace would have the usual words again.
func Misspelt(data []byte) error {
	var names []string
	for _, p := range Properties() {
		names = append(names, p.Name)
	}
	root, err := yamlfile.Decode(data)
	if err != nil || root == nil || root.Kind != yaml.MappingNode {
		return nil //nolint:nilerr // Parse says what is wrong
	}
	var problems []KeyProblem
	for pair := range slices.Chunk(root.Content, 2) {
		key := pair[0]
		if near := words.Nearest(key.Value, names); near != "" && !slices.Contains(names, key.Value) {
			message := fmt.Sprintf("unknown key %q: did you mean %s?", key.Value, near)
			problems = append(problems, KeyProblem{key.Line, key.Value, message})
		}
	}
	if problems == nil {
		return nil
	}
	return &InvalidError{problems}
}

// Check returns what is wrong with the value of the property, and what it says: as text,
// and for JSON.
func (p *Property) Check(node *yaml.Node) (shown string, data any, problems []KeyProblem) {
	d := decoder{layout: *Default(), property: p, node: node}
	p.read(&d)
	data = p.in(&d.layout)
	return text(data), data, d.problems
}

// Standard is what the property says where no file sets it, for JSON.
func (p *Property) Standard() any { return p.in(Default()) }
