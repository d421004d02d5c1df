package mirror

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/store/layout"
)

const (
	// Format is the format of the manifests that this version writes and reads.
	Format = 1
	// MaxManifest is the largest manifest, in bytes: a layout may have 64 KiB.
	MaxManifest = 256 << 10
	// maxCollections is that of a layout: twenty folders of each type.
	maxCollections = 60
	// maxPath is the longest path of a document, in bytes, from the root of its workspace.
	maxPath = 1024
)

// A Manifest says how the documents of a branch are laid out, for a reader of its files
// alone, who has neither its configuration nor the environment of its machine.
type Manifest struct {
	Collections []ManifestCollection
	Layout      *layout.Layout
}

// A ManifestCollection is a folder with documents of one type. The first one of a type is the
// home of its new documents.
type ManifestCollection struct {
	Type string `json:"type"`
	Dir  string `json:"dir"` // slash-separated, from the root of the workspace; "." is the root
	// Archive is the folder that finished documents move to, from the root of the workspace,
	// "" where they stay.
	Archive string `json:"archive,omitempty"`
}

// writtenManifest is a manifest as it is written.
type writtenManifest struct {
	Format      int                  `json:"format"`
	Collections []ManifestCollection `json:"collections"`
	Layout      json.RawMessage      `json:"layout"` // a file of layout.Parse
}

// Bytes writes the manifest. Equal manifests have equal bytes.
func (m Manifest) Bytes() ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	written, err := m.Layout.Write()
	if err != nil {
		return nil, fmt.Errorf("write the layout: %w", err)
	}
	return json.Marshal(writtenManifest{Format, m.Collections, written})
}

// ErrFormat says that a manifest, or a mirror, is of a format that this version does not know.
var ErrFormat = errors.New("the format is not known to this version: update issues-index")

// ParseManifest reads what Bytes has written, and refuses what could lead out of the folder of
// the branch, or ask for more than a real workspace would. Errors: ErrFormat for another format,
// *layout.InvalidError for the layout; others have no type.
func ParseManifest(data []byte) (Manifest, error) {
	if len(data) > MaxManifest {
		return Manifest{}, fmt.Errorf("read a manifest: it has %d bytes, over the limit of %d", len(data), MaxManifest)
	}
	var written writtenManifest
	if err := json.Unmarshal(data, &written); err != nil {
		return Manifest{}, fmt.Errorf("read a manifest: %w", err)
	}
	if written.Format != Format {
		return Manifest{}, fmt.Errorf("read a manifest of format %d: %w", written.Format, ErrFormat)
	}
	if !bytes.HasPrefix(written.Layout, []byte("{")) {
		return Manifest{}, errors.New("read a manifest: it has no layout")
	}
	l, err := layout.Parse(written.Layout)
	if err != nil {
		return Manifest{}, fmt.Errorf("read a manifest: %w", err)
	}
	m := Manifest{written.Collections, l}
	return m, m.check()
}

// check refuses what no manifest may have.
func (m Manifest) check() error {
	if len(m.Collections) == 0 || len(m.Collections) > maxCollections {
		return fmt.Errorf("check a manifest: it has %d collections, and must have 1 to %d",
			len(m.Collections), maxCollections)
	}
	for i, c := range m.Collections {
		if !slices.Contains(layout.Types, c.Type) {
			return fmt.Errorf("check a manifest: %q is no type of documents", c.Type)
		}
		if c.Dir != "." && !isPath(c.Dir) || c.Archive != "" && !isPath(c.Archive) {
			return fmt.Errorf("check a manifest: %q or %q is no folder in a workspace", c.Dir, c.Archive)
		}
		isSame := func(other ManifestCollection) bool { return other.Dir == c.Dir && other.Type == c.Type }
		if slices.ContainsFunc(m.Collections[:i], isSame) {
			return fmt.Errorf("check a manifest: %q is there twice", c.Dir)
		}
	}
	return nil
}

// Holds reports whether a path, from the root of the workspace, may be that of a document of
// the branch: safe everywhere, in a folder of a collection, and Markdown. Whether the store
// takes such a file for a document is for the store to say.
func (m Manifest) Holds(p string) bool {
	isIn := func(c ManifestCollection) bool { return c.Dir == "." || strings.HasPrefix(p, c.Dir+"/") }
	return isPath(p) && strings.EqualFold(path.Ext(p), ".md") && slices.ContainsFunc(m.Collections, isIn)
}

// isPath reports whether a text is a path in a workspace on any system: relative, in its
// shortest form, not out of there, and not into the repository of git.
func isPath(p string) bool {
	return p != "" && p != "." && len(p) <= maxPath && utf8.ValidString(p) && !strings.ContainsAny(p, "\x00\\") &&
		path.Clean(p) == p && !path.IsAbs(p) && filepath.IsLocal(filepath.FromSlash(p)) &&
		!slices.ContainsFunc(strings.Split(p, "/"), func(part string) bool {
			return part == ".." || strings.EqualFold(part, ".git")
		})
}

// A PublishedBranch is a branch of which a mirror has the manifest.
type PublishedBranch struct {
	Branch
	Manifest Manifest
}

// ReadBranches reads the manifests of all branches of the mirror in a folder, in the order of the
// names of their folders. A branch whose manifest has not come yet, or cannot be read, is left out.
func ReadBranches(root *os.Root) (branches []PublishedBranch, err error) {
	names, err := branchFolders(root)
	if err != nil {
		return nil, fmt.Errorf("read the mirror: %w", err)
	}
	for _, branch := range names {
		if m, err := readManifest(root, branch); err == nil {
			branches = append(branches, PublishedBranch{branch, m})
		}
	}
	return branches, nil
}

// branchFolders are the branches that have a folder in a mirror, by the names of the folders.
func branchFolders(root *os.Root) (branches []Branch, err error) {
	entries, err := fs.ReadDir(root.FS(), ".")
	for _, e := range entries {
		if b, ok := ParseBranch(e.Name()); ok {
			branches = append(branches, b)
		}
	}
	return branches, err
}

// readManifest reads the manifest of one branch.
func readManifest(root *os.Root, branch Branch) (Manifest, error) {
	name := branch.String() + "/" + ManifestPath
	info, err := root.Lstat(name)
	if err != nil {
		return Manifest{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > MaxManifest {
		return Manifest{}, fs.ErrInvalid
	}
	data, err := root.ReadFile(name)
	if err != nil {
		return Manifest{}, err
	}
	return ParseManifest(data)
}

// A marked is what the marker says.
type marked struct {
	Format int `json:"format"`
	// Manifests changes whenever a manifest does, so that a reader needs to look at the marker
	// alone.
	Manifests string `json:"manifests"`
}

// MarkerBytes are those of the marker of a mirror with these manifests.
func MarkerBytes(manifests map[Branch]Manifest) ([]byte, error) {
	sum := sha256.New()
	byName := func(a, b Branch) int { return strings.Compare(a.String(), b.String()) }
	for _, b := range slices.SortedFunc(maps.Keys(manifests), byName) {
		data, err := manifests[b].Bytes()
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(sum, "%s %x\n", b, sha256.Sum256(data))
	}
	return json.Marshal(marked{Format, hex.EncodeToString(sum.Sum(nil))})
}

// CheckMarker returns why a folder with this marker cannot be read as a mirror, nil when it
// can be.
func CheckMarker(data []byte) error {
	var m marked
	if err := json.Unmarshal(data, &m); err != nil {
		return fmt.Errorf("read %s: %w", Marker, err)
	}
	if m.Format != Format {
		return fmt.Errorf("read %s of format %d: %w", Marker, m.Format, ErrFormat)
	}
	return nil
}
