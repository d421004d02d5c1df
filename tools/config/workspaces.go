package config

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"issues-index/store/yamlfile"
)

// The names of workspaces stand in the user's own file alone. No repository may widen what a
// server opens, and a file that is named for one workspace says nothing of others.

const workspacesName = "workspaces"

// workspaces reads the names of workspaces.
func (r *fileReader) workspaces(k *Key, node *yaml.Node) {
	switch {
	case r.home.stranger:
		r.take(k, "", r.home, r.at(node.Line))
		return
	case !r.isUsers:
		r.problem(node.Line, k.Name, "%s counts only in %s: move it there", k.Name, ownFile(r.home.userFile))
		return
	case yamlfile.IsNull(node): // all lines are commented out
		return
	}
	paths, problems := map[string]string{}, len(r.problems)
	r.entries(node, k.Name, k.Allowed, func(at, to *yaml.Node, full string) {
		path, ok := workspacePath(to)
		switch {
		case !IsWorkspaceName(at.Value):
			r.problem(at.Line, k.Name, "invalid name %s of a workspace: must be a name: at most 100 characters, "+
				"without / \\ : and control characters, not beginning with . ~ or -", quote(at.Value))
		case r.plain(to, full) && !ok:
			r.problem(to.Line, full, "invalid %s %s: must be an absolute path, or begin with ~/", full, quote(to.Value))
		default:
			paths[at.Value] = path
		}
	})
	if len(r.problems) == problems {
		r.Workspaces, k.Source = paths, r.at(node.Line)
	}
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

// workspacePath returns the absolute path that a file has for a name.
func workspacePath(node *yaml.Node) (path string, ok bool) {
	path = node.Value
	if yamlfile.IsNull(node) || strings.ContainsFunc(path, unicode.IsControl) {
		return "", false
	}
	if rest, ok := strings.CutPrefix(filepath.ToSlash(path), "~"); ok && (rest == "" || rest[0] == '/') {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", false
		}
		path = filepath.Join(home, filepath.FromSlash(rest))
	}
	return filepath.Clean(path), filepath.IsAbs(path)
}

// UserWorkspaces returns the workspaces that the user's own file names, for a command that is
// given one of these names. The other layers, and problems of other keys, do not matter.
func UserWorkspaces(o Options) (map[string]string, error) {
	l, f := &loader{Config: defaults(o.Tools)}, o.userFile()
	l.readFile(f, contentOf(f.read()), fileReader{layer: LayerUser, home: home{userFile: o.UserFile}, isUsers: true})
	if len(l.problems) > 0 && len(l.Workspaces) == 0 {
		return nil, l.problems
	}
	return l.Workspaces, nil
}
