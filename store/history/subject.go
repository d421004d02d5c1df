package history

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"issues-index/store"
)

// A Followed is the document whose history is read.
type Followed struct {
	ids   []string // that it has and had
	paths []string // where its file is, or was; none when that is not known
	gone  bool
}

// Of is the subject of a document that is there. Its file may be named for another id than it
// has, in particular where that cannot be read.
func Of(ws *store.Workspace, doc *store.Document) Followed {
	s := Followed{ids: append([]string{doc.ID}, doc.FormerIDs()...), paths: []string{doc.Path}}
	s.addID(ws, doc.Collection, store.Stem(doc.Path))
	return s
}

// addID adds the id that a name begins with, unless it is that of a child.
func (s *Followed) addID(ws *store.Workspace, collection, name string) {
	if numbers := ws.IDNumbers(collection, name); len(numbers) == 1 {
		s.ids = append(s.ids, ws.NewID(numbers[0].Series, numbers[0].Number))
	}
}

// Named is the subject of a document that is not there any more, by its id, the name of its
// file or its path. A bare number may be that of any type.
func Named(ws *store.Workspace, name string) Followed {
	s := Followed{gone: true}
	name = strings.TrimPrefix(strings.TrimSpace(name), "#")
	if clean, err := store.CleanPath(name); err == nil && strings.Contains(clean, "/") {
		if c, ok := ws.CollectionOf(clean); ok {
			s.paths, s.ids = []string{clean}, []string{clean}
			s.addID(ws, c.Type, store.Stem(clean))
			return s
		}
	}
	name = strings.TrimSuffix(path.Base(name), ".md")
	s.ids = []string{name, strings.ToUpper(name)}
	number, err := strconv.Atoi(name)
	for _, docType := range store.Types {
		if err == nil && number >= 0 {
			s.ids = append(s.ids, ws.NewID(docType, number))
		}
		s.addID(ws, docType, name)
	}
	return s
}

// idsIn are those of the ids that the name of a file begins with.
func (s Followed) idsIn(ws *store.Workspace, file string) (ids []string) {
	stem := store.Stem(file)
	for _, id := range s.ids {
		named := ws.FileID(id)
		begins := len(stem) >= len(named) && strings.EqualFold(stem[:len(named)], named)
		if begins && (len(stem) == len(named) || strings.ContainsRune("-. _", rune(stem[len(named)]))) {
			ids = append(ids, id)
		}
	}
	return ids
}

// isFile reports whether a file has the name that the document's has.
func (s Followed) isFile(file string) bool {
	return slices.ContainsFunc(s.paths, func(at string) bool { return path.Base(at) == path.Base(file) })
}
