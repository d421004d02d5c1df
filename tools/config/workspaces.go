package config

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"issues-index/store/yamlfile"
)

// The names of workspaces stand in the user's own file alone. No repository may widen what a
// server opens, and a file that is named for one workspace says nothing of others.

const (
	allowedWorkspaces = "a block of names with an absolute path each, or one that begins with ~/"
	allowedName       = "a name: at most 100 characters, without / \\ : and control characters, not beginning with . ~ or -"
	workspacesName    = "workspaces"
)

// workspacesKey is the key with the names of workspaces.
func workspacesKey() *Key {
	return &Key{
		Name: workspacesName, Allowed: allowedWorkspaces, Repository: Never, block: true,
		Doc:      "workspaces that a server may open besides the one that it is started in, by names that calls and --workspace take; only in your own file",
		standard: workspacesValue(nil),
	}
}

func workspacesValue(paths map[string]string) value {
	var shown []string
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		shown = append(shown, name+": "+paths[name])
	}
	text := strings.Join(shown, ", ")
	data := map[string]string{}
	maps.Copy(data, paths)
	return value{text: text, exact: text, data: data, apply: func(c *Config) { c.Workspaces = paths }}
}

// workspaces reads the names of workspaces.
func (r *fileReader) workspaces(k *Key, node *yaml.Node) {
	switch {
	case r.home.stranger:
		r.check(k, node, "", &repositoryError{k, r.home.userFile})
		return
	case !r.home.user:
		r.problem(node.Line, k.Name, "%s counts only in %s: move it there", k.Name, ownFile(r.home.userFile))
		return
	case !r.plain(node, k.Name):
		return
	case node.Kind == yaml.ScalarNode && yamlfile.IsNull(node): // all lines are commented out
		return
	case node.Kind != yaml.MappingNode:
		r.problem(node.Line, k.Name, "invalid %s: must be %s, not %s", k.Name, k.Allowed, yamlfile.Describe(node))
		return
	}
	paths, lines := map[string]string{}, map[string]int{}
	problems := len(r.problems)
	for i := 0; i+1 < len(node.Content); i += 2 {
		at, to := node.Content[i], node.Content[i+1]
		if !r.plain(at, k.Name) || !r.plain(to, k.Name) {
			continue
		}
		name, full := at.Value, k.Name+"."+at.Value
		if at.Kind != yaml.ScalarNode || at.ShortTag() == "!!merge" || !IsWorkspaceName(name) {
			r.problem(at.Line, k.Name, "invalid name %s of a workspace: must be %s", described(at), allowedName)
			continue
		}
		if first, twice := lines[name]; twice {
			r.problem(at.Line, full, "%s is set twice, first in line %d", quote(full), first)
			continue
		}
		lines[name] = at.Line
		path, err := workspacePath(to)
		if err != nil {
			r.problem(to.Line, full, "invalid %s %s: must be an absolute path, or one that begins with ~/%s", full, described(to), err)
			continue
		}
		paths[name] = path
	}
	if len(r.problems) == problems {
		r.set[k.Name] = layerValue{workspacesValue(paths), r.at(node.Line)}
	}
}

// described shows the text of a node in a message, or says what the node is.
func described(node *yaml.Node) string {
	if node.Kind == yaml.ScalarNode && !yamlfile.IsNull(node) {
		return quote(node.Value)
	}
	return yamlfile.Describe(node)
}

// ownFile names the user's own file in messages.
func ownFile(path string) string {
	if path == "" {
		return "your own configuration file"
	}
	return "your own configuration file (" + path + ")"
}

// IsWorkspaceName reports whether a text can be the name of a workspace. It is never a path
// that says where it leads, nor a flag.
func IsWorkspaceName(text string) bool {
	return text != "" && len(text) <= 100 && strings.TrimSpace(text) == text &&
		!strings.ContainsAny(text, `/\:`) && !strings.ContainsAny(text[:1], ".~-") &&
		!strings.ContainsFunc(text, unicode.IsControl)
}

// workspacePath returns the absolute path that a file has for a name. The error completes a
// sentence; it may be empty.
func workspacePath(node *yaml.Node) (string, error) {
	text := node.Value
	if node.Kind != yaml.ScalarNode || yamlfile.IsNull(node) || text == "" || strings.ContainsFunc(text, unicode.IsControl) {
		return "", errors.New("")
	}
	if rest, ok := strings.CutPrefix(filepath.ToSlash(text), "~"); ok && (rest == "" || rest[0] == '/') {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", errors.New("; the home folder is not known")
		}
		text = filepath.Join(home, filepath.FromSlash(rest))
	}
	if !filepath.IsAbs(text) {
		return "", errors.New("")
	}
	return filepath.Clean(text), nil
}

// UserWorkspaces returns the workspaces that the user's own file names, for a command that is
// given one of these names. The other layers, and problems of other keys, do not matter.
func UserWorkspaces(o Options) (map[string]string, error) {
	l := &layers{keys: Keys(o.Tools), set: map[string]layerValue{}}
	l.readFile(LayerUser, o.userFile(), home{user: true, userFile: o.UserFile}, contentOf(o.userFile().read()), false)
	c := &Config{}
	if found, ok := l.set[workspacesName]; ok {
		found.value.apply(c)
		return c.Workspaces, nil
	}
	if len(l.problems) > 0 {
		return nil, l.problems
	}
	return nil, nil
}
