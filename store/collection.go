package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/store/frontmatter"
	"issues-index/store/layout"
)

// schemaFile is where a workspace may name its directories.
const schemaFile = ".wrangler/config/workspace-schema.json"

// collectionSettings names each collection's default directory, the
// environment variable that overrides it, and its key below mcpConfiguration.
var collectionSettings = []struct{ docType, dir, env, key string }{
	{TypeIssue, ".wrangler/issues", "WRANGLER_ISSUES_DIRECTORY", "issuesDirectory"},
	{TypeSpecification, ".wrangler/specifications", "WRANGLER_SPECIFICATIONS_DIRECTORY", "specificationsDirectory"},
	{TypeIdea, ".wrangler/ideas", "WRANGLER_IDEAS_DIRECTORY", "ideasDirectory"},
}

// IsFolderVariable reports whether a variable of the environment names a collection's folder.
func IsFolderVariable(name string) bool {
	for _, s := range collectionSettings {
		if s.env == name {
			return true
		}
	}
	return false
}

// configure sets the collections from the environment, the layout, the schema file and the
// defaults, in this order of precedence. What is relative is so to base.
func (w *Workspace) configure(getenv func(string) string, base string) error {
	schema, err := w.readSchema()
	if err != nil {
		return err
	}
	for _, s := range collectionSettings {
		fromSchema, isText := schema[s.key].(string)
		if schema[s.key] != nil && !isText {
			return fmt.Errorf("read %s: mcpConfiguration.%s is not a string", schemaFile, s.key)
		}
		var dirs []string
		var source string
		switch fromEnv := getenv(s.env); {
		case fromEnv != "":
			dirs, source = []string{fromEnv}, s.env
		case w.Layout.Mapped(s.docType):
			dirs, source = w.Layout.Folders[s.docType], layout.File+" folders"
		case fromSchema != "":
			dirs, source = []string{fromSchema}, schemaFile+" "+s.key
		default:
			w.Collections = append(w.Collections, Collection{Type: s.docType, Dir: path.Join(base, s.dir)})
			continue
		}
		for i, dir := range dirs {
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(filepath.FromSlash(base), dir)
			}
			clean, err := w.configuredDir(dir)
			if err != nil {
				return fmt.Errorf("configure %s directory (%s): %w", s.docType, source, err)
			}
			w.Collections = append(w.Collections, Collection{Type: s.docType, Dir: clean, further: i > 0})
		}
	}
	for i := range w.Collections {
		w.Collections[i].archive = w.archiveOf(w.Collections[i])
	}
	return nil
}

// archiveOf is the folder that a collection's finished documents move to, "" where
// they stay: one of the type's folders with the configured name, else one of that name in
// the collection's.
func (w *Workspace) archiveOf(c Collection) string {
	name := w.Layout.Archive
	if name == layout.NoArchive {
		return ""
	}
	for _, other := range w.Collections {
		if other.Type == c.Type && path.Base(other.Dir) == name {
			return other.Dir
		}
	}
	return path.Join(c.Dir, spelling(w.Absolute(path.Join(c.Dir, name))))
}

// homeOf is the collection of new documents of a type; ok is false where there is none.
func (w *Workspace) homeOf(docType string) (c Collection, ok bool) {
	i := slices.IndexFunc(w.Collections, func(c Collection) bool { return c.Type == docType })
	if i < 0 {
		return c, false
	}
	return w.Collections[i], true
}

// readSchema returns the values below mcpConfiguration; none when there is no schema file. Other
// parts of that file are none of our business.
func (w *Workspace) readSchema() (map[string]any, error) {
	var schema struct {
		MCPConfiguration map[string]any `json:"mcpConfiguration"`
	}
	data, _, err := w.Read(schemaFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(bytes.TrimPrefix(data, []byte(frontmatter.BOM)), &schema)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", schemaFile, err)
	}
	return schema.MCPConfiguration, nil
}

// reasonCache refuses to keep documents where everything may be deleted.
const reasonCache = "lies in " + CacheDir + ", which can be deleted at any time"

// configuredDir accepts a directory that a person configured: relative, or absolute inside
// the root, no symbolic link that leads out, and not in the cache.
func (w *Workspace) configuredDir(dir string) (string, error) {
	clean, err := CleanPath(w.Relative(dir))
	if err != nil {
		return "", err
	}
	real, err := w.Resolve(clean)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, p := range []string{clean, real} {
		if _, cached := below(CacheDir, p); cached {
			return "", &PathError{clean, reasonCache}
		}
	}
	return clean, nil
}

// CollectionOf returns the collection whose document path is, and whether it
// is one at all. Where collections nest the deepest wins, so that a file
// belongs to exactly one.
func (w *Workspace) CollectionOf(p string) (Collection, bool) {
	if !utf8.ValidString(p) || !documentName(path.Base(p)) {
		return Collection{}, false
	}
	return w.collectionOfDir(path.Dir(p))
}

// collectionOfDir returns the collection that a directory's documents belong to.
func (w *Workspace) collectionOfDir(dir string) (Collection, bool) {
	var best Collection
	for _, c := range w.near(dir) {
		if _, ok := below(c.Dir, dir); ok && (best.Dir == "" || len(c.Dir) > len(best.Dir)) {
			best = c
		}
	}
	rel, _ := below(best.Dir, dir)
	if best.Dir == "" || isTemplateDir(dir) && !isTemplateDir(best.Dir) ||
		rel != "." && (strings.HasPrefix(rel, ".") || strings.Contains(rel, "/.")) {
		return Collection{}, false
	}
	return best, true
}

// isTemplateDir reports whether a directory is that of the templates, or lies in it.
func isTemplateDir(dir string) bool {
	_, ok := below(TemplateDir, dir)
	return ok
}

// documentName reports whether a file of this name is a document: Markdown, and
// no README, dot-file, Office lock file or copy that Syncthing made of a
// conflict. (Our own temporary files and those of the usual editors are
// dot-files or end in something else than .md.)
func documentName(name string) bool {
	const ext = ".md"
	if len(name) <= len(ext) || !strings.EqualFold(name[len(name)-len(ext):], ext) {
		return false
	}
	return name[0] != '.' &&
		!strings.HasPrefix(name, "~$") &&
		!strings.EqualFold(name, "README.md") &&
		!strings.Contains(name, ".sync-conflict-")
}
