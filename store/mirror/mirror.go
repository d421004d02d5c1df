// Package mirror knows the folder in which a hub keeps the documents of many workspaces, as
// their machines have published them.
//
// It knows nothing about documents, the index or how they come here. A mirror has a folder
// for each branch of each workspace, with the files of that branch under their own paths:
//
//	.wrangler/mirror.json             marks the folder, and changes with every manifest
//	api/.wrangler/workspace.json      the manifest of the main branch of the workspace api
//	api/.wrangler/issues/ISS-000041-rain.md
//	api@mac-7k2q/.wrangler/…          another branch of it: work that is not merged
//
// Its invariants: nothing outside of the mirror is written, whatever a path says; a file is
// never seen half written; a branch of which no file is left has no folder; everything in a mirror can
// be deleted, since it is published again.
package mirror

import "strings"

const (
	// Marker is the file that makes a folder a mirror.
	Marker = ".wrangler/mirror.json"
	// ManifestPath is where the manifest of a branch lies in its folder.
	ManifestPath = ".wrangler/workspace.json"
	// Main is the name of the branch that everybody sees: that of the default branch.
	Main = "main"
)

// A Branch is one state of a workspace's documents that is published: that of its default
// branch, or of one checkout with other work. Users call it a line: they would take a branch for one
// of git's.
type Branch struct {
	Workspace string // as IsName has it
	Name      string // likewise; Main for the default branch
}

// String is the name of the branch's folder, and what stands before ids of its documents: api,
// or api@mac-7k2q. It is "" for the zero Branch.
func (b Branch) String() string {
	if b.Name == Main || b == (Branch{}) {
		return b.Workspace
	}
	return b.Workspace + "@" + b.Name
}

// ParseBranch reads what String has written; ok is false for anything else.
func ParseBranch(text string) (b Branch, ok bool) {
	workspace, name, other := strings.Cut(text, "@")
	if !other {
		name = Main
	}
	b = Branch{workspace, name}
	return b, IsName(workspace) && IsName(name) && b.String() == text
}

// IsName reports whether a text can name a workspace or a branch: 1 to 64 lower-case letters of
// ASCII, digits and hyphens.
func IsName(text string) bool {
	const symbols = "abcdefghijklmnopqrstuvwxyz0123456789-"
	return 1 <= len(text) && len(text) <= 64 && strings.Trim(text, symbols) == ""
}

// Qualify puts the branch before an id of one of its documents: api:ISS-000041. The zero Branch
// is that of an ordinary workspace, whose ids stay as they are.
func (b Branch) Qualify(id string) string {
	if b == (Branch{}) {
		return id
	}
	return b.String() + ":" + id
}

// Folder is what the paths of the branch's files begin with: its folder and a slash, "" for the
// zero Branch.
func (b Branch) Folder() string {
	if b == (Branch{}) {
		return ""
	}
	return b.String() + "/"
}

// CutBranch takes the branch off an id that Qualify has made; ok is false for any other text.
func CutBranch(qualified string) (b Branch, id string, ok bool) {
	before, id, found := strings.Cut(qualified, ":")
	if !found {
		return Branch{}, qualified, false
	}
	if b, ok = ParseBranch(before); !ok {
		return Branch{}, qualified, false
	}
	return b, id, true
}
