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
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

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

	read func(r *reader, node *yaml.Node)
	show func(l *Layout) (text string, data any)
}

// Properties are the keys of a layout, in the order of the documentation. A new key has a
// file of its own with its reader, and a row here.
func Properties() []*Property {
	return []*Property{
		{
			Name: "statuses", Default: defaultWording.statusText(), Allowed: allowedStatuses,
			Doc:  "the statuses of this workspace's documents, in their order; the first open one is that of new documents",
			read: (*reader).statuses, show: func(l *Layout) (string, any) { return l.statusText(), l.Statuses },
		},
		{
			Name: "priorities", Default: strings.Join(defaultWording.Priorities, ", "), Allowed: allowedPriorities,
			Doc:  "the priorities of this workspace's documents, the least urgent first; a document without one counts as medium, else as the middle one",
			read: (*reader).priorities, show: func(l *Layout) (string, any) { return strings.Join(l.Priorities, ", "), l.Priorities },
		},
		{
			Name: "folders", Allowed: allowedFolders,
			Doc:  "the folders of the documents of each type, all of which are read; new documents go to the first one",
			read: (*reader).folders, show: func(l *Layout) (string, any) { return l.folderText(), l.Folders },
		},
		{
			Name: "archive", Default: defaultPlaces.Archive, Allowed: allowedArchive,
			Doc:  "the folder that finished documents move to: the one of folders with this name, else one of this name in the folder of its type; none leaves them where they are",
			read: (*reader).archive, show: func(l *Layout) (string, any) { return l.Archive, l.Archive },
		},
		{
			Name: "idPattern", Default: defaultNaming.idText(), Allowed: allowedIDPattern,
			Doc:  "the ids of new documents",
			read: (*reader).ids, show: func(l *Layout) (string, any) { return l.idText(), l.idData() },
		},
		{
			Name: "idScheme", Default: SchemeNumber, Allowed: allowedScheme,
			Doc:  "how the ids of new documents are told apart: hash makes ISS-k3f9q, which two branches do not both make",
			read: (*reader).idScheme, show: func(l *Layout) (string, any) { return l.IDScheme, l.IDScheme },
		},
		{
			Name: "fileName", Default: defaultNaming.FileName.String(), Allowed: allowedFileName,
			Doc:  "the names of new files, without .md",
			read: (*reader).fileName, show: func(l *Layout) (string, any) { return l.FileName.String(), l.FileName.String() },
		},
		{
			Name: "dates", Default: defaultKeys.dateText(), Allowed: allowedDates,
			Doc:  "the keys of the times that are written, in UTC, where a document has none yet; without closed none is",
			read: (*reader).dates, show: func(l *Layout) (string, any) { return l.dateText(), l.dateData() },
		},
		{
			Name: "stampUpdates", Default: "true", Allowed: allowedStamping,
			Doc:  "whether changes write the time of the last change; without it that is the time of the last commit that touched the file, and branches do not conflict over it",
			read: (*reader).stampUpdates, show: func(l *Layout) (string, any) { return strconv.FormatBool(l.StampUpdates), l.StampUpdates },
		},
		{
			Name: "links", Default: defaultKeys.linkText(), Allowed: allowedLinks,
			Doc:  "the keys of links that are written where a document has none yet",
			read: (*reader).links, show: func(l *Layout) (string, any) {
				return l.linkText(), map[string]string{"dependsOn": l.DependsOn, "parent": l.Parent}
			},
		},
		{
			Name: "descriptionHeading", Allowed: allowedHeading,
			Doc:  "the heading of the text of new documents that begin without one",
			read: (*reader).heading, show: func(l *Layout) (string, any) { return l.DescriptionHeading, l.DescriptionHeading },
		},
	}
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

// A reader reads the keys of a layout.
type reader struct {
	layout   Layout
	key      string // that is being read
	problems []KeyProblem

	schemeLine int // of idScheme, 0 when there is none
}

func (r *reader) problem(line int, format string, args ...any) {
	r.problems = append(r.problems, KeyProblem{line, r.key, fmt.Sprintf(format, args...)})
}

// refuse reports an error of package yamlfile.
func (r *reader) refuse(err error) {
	if wrong := (*yamlfile.NodeError)(nil); errors.As(err, &wrong) {
		r.problem(wrong.Line, "%s", wrong.Reason)
	}
}

// plain refuses what settings have no use for, see yamlfile.CheckPlain.
func (r *reader) plain(node *yaml.Node) bool {
	err := yamlfile.CheckPlain(node)
	if err != nil {
		r.refuse(err)
	}
	return err == nil
}

// invalid reports a value that is not what p allows.
func (r *reader) invalid(node *yaml.Node, allowed, reason string) {
	r.problem(node.Line, "invalid %s: must be %s; %s", r.key, allowed, reason)
}

// Parse reads the layout in a workspace's configuration file, and passes over the other
// keys there. Errors: *InvalidError.
func Parse(data []byte) (*Layout, error) {
	r := reader{layout: *Default()}
	root, err := yamlfile.Decode(data)
	if err != nil {
		r.refuse(err)
	}
	if root != nil && r.plain(root) {
		r.file(root)
		r.checkScheme()
	}
	if len(r.problems) > 0 {
		return nil, &InvalidError{r.problems}
	}
	return &r.layout, nil
}

// file reads the keys of a file.
func (r *reader) file(root *yaml.Node) {
	if root.Kind != yaml.MappingNode {
		r.problem(root.Line, "the file must be a block of keys, not %s", yamlfile.Describe(root))
		return
	}
	properties := Properties()
	lines := map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		for _, p := range properties {
			if key.Kind != yaml.ScalarNode || key.Value != p.Name {
				continue
			}
			if r.key = p.Name; lines[p.Name] > 0 {
				r.problem(key.Line, "%q is set twice, first in line %d", p.Name, lines[p.Name])
			} else if lines[p.Name] = key.Line; r.plain(key) && r.plain(value) {
				p.read(r, value)
			}
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
	for i := 0; i+1 < len(root.Content); i += 2 {
		key := root.Content[i]
		if near := words.Nearest(key.Value, names); near != "" && !slices.Contains(names, key.Value) {
			problems = append(problems, KeyProblem{key.Line, key.Value, fmt.Sprintf("unknown key %s: did you mean %s?", quoted(key), near)})
		}
	}
	if problems == nil {
		return nil
	}
	return &InvalidError{problems}
}

// Check returns what is wrong with the value of the property, and what it says: as text,
// and for JSON.
func (p *Property) Check(node *yaml.Node) (text string, data any, problems []KeyProblem) {
	r := reader{layout: *Default(), key: p.Name}
	if r.plain(node) {
		p.read(&r, node)
	}
	text, data = p.show(&r.layout)
	return text, data, r.problems
}

// Standard is what the property says where no file sets it, for JSON.
func (p *Property) Standard() any {
	_, data := p.show(Default())
	return data
}
