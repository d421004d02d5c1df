package foreign

import (
	"path"
	"strconv"
	"strings"

	"issues-index/store"
	"issues-index/store/frontmatter"
	"issues-index/store/layout"
	"issues-index/store/pattern"
)

// idParts are the parts of an id: what stands before its number, and the number.
var idParts = pattern.Lazy(`^([A-Za-z][A-Za-z0-9_-]{0,18}[A-Za-z_-]|[A-Za-z]|)(\d{1,9})$`)

// naming returns the keys that make new ids and file names like those of some documents: ""
// where these have no ids of one form.
func naming(ws *store.Workspace, dir string, names []string) string {
	prefix, width := "", 0
	seen, padded, bare := false, false, true // bare: the names of the files are nothing but the ids
	for _, name := range names[:min(len(names), maxSamples)] {
		id := documentID(ws, path.Join(dir, name))
		parts := idParts().FindStringSubmatch(id)
		if len(parts) == 0 || seen && parts[1] != prefix {
			return ""
		}
		if !seen || len(parts[2]) < width {
			width = len(parts[2])
		}
		prefix, seen = parts[1], true
		padded = padded || strings.HasPrefix(parts[2], "0")
		bare = bare && name == id+".md"
	}
	number := "{n}"
	if padded && width > 1 {
		number = "{n:" + strconv.Itoa(width) + "}"
	}
	keys := "idPattern: " + layout.WriteScalar(prefix+number) + "\n"
	if bare {
		keys += "fileName: \"{id}\"\n"
	}
	return keys
}

// documentID is the id in a document's frontmatter, "" for none.
func documentID(ws *store.Workspace, p string) string {
	data, err := ws.ReadFile(p)
	if err != nil {
		return ""
	}
	return frontmatter.Parse(data, store.TypeIssue, layout.Default()).ID
}
