package layout

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
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
	allowedFolders = fmt.Sprintf("a block of issue, specification and idea with a folder each, or a list of up to %d, "+
		"relative to the workspace", maxFolders)
	allowedFolder = fmt.Sprintf("a path like docs/issues, relative to the workspace, "+
		"of at most %d printable characters", maxPath)
	allowedArchive = "none, or the name of one folder"
)

// A textList is a list of texts, or one text in its place.
type textList []string

func (l *textList) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*l = textList{node.Value}
		return nil
	}
	return node.Decode((*[]string)(l))
}

// folders reads a block of types with a folder or a list of folders each.
func (d *decoder) folders() {
	var folders map[string]textList
	if !d.decode(&folders) || !known(d, folders, Types...) {
		return
	}
	owners := map[string]string{}
	d.layout.Folders = map[string][]string{}
	for _, docType := range Types {
		list, ok := folders[docType]
		if ok && d.tooMany(len(list), maxFolders) {
			continue
		}
		for _, text := range list {
			dir := path.Clean(text)
			if d.text("folder", text, allowedFolder, isFolder) && owners[dir] != "" {
				d.problem(text, "the folder %s is there twice: for %s and for %s", dir, owners[dir], docType)
			}
			owners[dir] = docType
			d.layout.Folders[docType] = append(d.layout.Folders[docType], dir)
		}
	}
}

// isFolder reports whether a text is the path of a folder in the workspace.
func isFolder(text string) bool {
	misleads := func(part string) bool { return part == ".." || strings.EqualFold(part, ".git") }
	return len(text) <= maxPath && !strings.Contains(text, `\`) && !path.IsAbs(text) &&
		filepath.IsLocal(filepath.FromSlash(path.Clean(text))) && !slices.ContainsFunc(strings.Split(text, "/"), misleads)
}

// archive reads the name of the folder of finished documents.
func (d *decoder) archive() {
	d.oneText(&d.layout.Archive, func(name string) bool {
		return len(name) <= maxName && filepath.IsLocal(name) && !strings.ContainsAny(name, `/\`) &&
			!strings.HasPrefix(name, ".")
	})
}
