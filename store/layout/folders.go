package layout

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"issues-index/store/words"
	"issues-index/store/yamlfile"
)

// Types are the types of documents.
var Types = []string{"issue", "specification", "idea"}

// Places say where documents lie: which folders hold each type, and where the finished ones
// go.
type Places struct {
	// Folders are those of each type, slash-separated; a type that is missing has the
	// program's own. New documents go to the first one.
	Folders map[string][]string
	// Archive is the name of the folder that finished documents move to, NoArchive for
	// none.
	Archive string
}

// NoArchive says that finished documents stay where they are.
const NoArchive = "none"

// defaultPlaces is that of a workspace that configures none. The folders themselves are the
// workspace's to know.
var defaultPlaces = Places{Archive: "archived"}

// Mapped reports whether the layout has folders for a type.
func (p *Places) Mapped(docType string) bool { return len(p.Folders[docType]) > 0 }

// What folders may be at most.
const (
	maxFolders = 20
	maxPath    = 200 // bytes
)

var (
	allowedFolders = fmt.Sprintf("a block of issue, specification and idea with a folder each, or a list of up to %d, relative to the workspace", maxFolders)
	allowedFolder  = fmt.Sprintf("a path like docs/issues, relative to the workspace, of at most %d printable characters", maxPath)
	allowedArchive = "none, or the name of one folder"
)

// folders reads a block of types with a folder or a list of folders each.
func (r *reader) folders(node *yaml.Node) {
	if node.Kind != yaml.MappingNode || len(node.Content) == 0 {
		r.invalid(node, allowedFolders, "this is "+yamlfile.Describe(node))
		return
	}
	before := len(r.problems)
	owners := map[string]string{}
	folders := map[string][]string{}
	r.members(node, Types, func(docType string, value *yaml.Node) {
		list := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			var ok bool
			if list, ok = r.list(value, allowedFolders, maxFolders); !ok {
				return
			}
		}
		for _, item := range list {
			dir, ok := r.folder(item)
			switch {
			case !ok:
			case owners[dir] != "":
				r.problem(item.Line, "the folder %s is there twice: for %s and for %s", dir, owners[dir], docType)
			default:
				owners[dir] = docType
				folders[docType] = append(folders[docType], dir)
			}
		}
	})
	if len(r.problems) == before {
		r.layout.Folders = folders
	}
}

// members calls read with each member of a block whose names are all known and used once.
func (r *reader) members(node *yaml.Node, known []string, read func(name string, value *yaml.Node)) {
	lines := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		switch {
		case !r.plain(key) || !r.plain(value):
		case key.Kind != yaml.ScalarNode || !slices.Contains(known, key.Value):
			r.problem(key.Line, "%s has no %s: it has %s", r.key, quoted(key), strings.Join(known, ", "))
		case lines[key.Value] > 0:
			r.problem(key.Line, "%s is there twice, first in line %d", key.Value, lines[key.Value])
		default:
			lines[key.Value] = key.Line
			read(key.Value, value)
		}
	}
}

// folder reads the path of a folder in the workspace.
func (r *reader) folder(node *yaml.Node) (dir string, ok bool) {
	if !r.plain(node) {
		return "", false
	}
	dir = path.Clean(node.Value)
	misleads := func(part string) bool { return part == ".." || strings.EqualFold(part, ".git") }
	if !isText(node, maxPath) || strings.Contains(node.Value, `\`) || path.IsAbs(dir) || !filepath.IsLocal(filepath.FromSlash(dir)) ||
		slices.ContainsFunc(strings.Split(node.Value, "/"), misleads) {
		r.problem(node.Line, "invalid folder %s: must be %s", quoted(node), allowedFolder)
		return "", false
	}
	return dir, true
}

// isText reports whether a node is a text on one line, of printable characters without
// blanks around it and of at most this many bytes.
func isText(node *yaml.Node, most int) bool {
	s := node.Value
	return node.Kind == yaml.ScalarNode && !yamlfile.IsNull(node) && s != "" && len(s) <= most && utf8.ValidString(s) &&
		strings.TrimSpace(s) == s && !strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) })
}

// archive reads the name of the folder of finished documents.
func (r *reader) archive(node *yaml.Node) {
	name := node.Value
	if !isText(node, maxName) || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") || !filepath.IsLocal(name) {
		r.problem(node.Line, "invalid archive %s: must be %s", quoted(node), allowedArchive)
		return
	}
	r.layout.Archive = name
}

// folderText is the folders for people.
func (p *Places) folderText() string {
	var parts []string
	for _, docType := range Types {
		if p.Mapped(docType) {
			parts = append(parts, docType+": "+strings.Join(p.Folders[docType], ", "))
		}
	}
	return words.Cut(strings.Join(parts, "; "), maxPath)
}
