package store

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"issues-index/store/frontmatter"
	"issues-index/store/layout"
	"issues-index/store/mirror"
)

// FoldID is the form in which ids are compared when their letter case and the zeros
// before their numbers are of no account: ISS-000042 and iss-42 are one.
//
// The branch of a mirror before an id is kept but for its letter case: api-01:ISS-000042 and
// API-01:iss-42 are one, and none of api-1.
func FoldID(id string) string {
	id = strings.ToLower(strings.ToUpper(id))
	if branch, within, qualified := mirror.CutBranch(id); qualified {
		return branch.Qualify(FoldID(within))
	}
	folded := make([]byte, 0, len(id))
	inNumber := false
	for i := range len(id) {
		c := id[i]
		digit := c >= '0' && c <= '9'
		lastDigit := i+1 == len(id) || id[i+1] < '0' || id[i+1] > '9'
		if c == '0' && !inNumber && !lastDigit {
			continue
		}
		inNumber = digit
		folded = append(folded, c)
	}
	return string(folded)
}

// FoldLink is FoldID of the id that a link is written with. A hash alone is that of an issue.
func FoldLink(l *layout.Layout, id string) string {
	if l.IDScheme == layout.SchemeHash && layout.IsHash(id) {
		id = l.IDs[TypeIssue].Prefix + id
	}
	return FoldID(id)
}

// LinkedID is the id, or the name of a file, that a link is written with.
func LinkedID(written string) string { return frontmatter.ParseDestination(written).ID }

// LinkKindOf returns the kind of the links that a key of the frontmatter holds, "" for none.
func LinkKindOf(key string) LinkKind { return frontmatter.LinkKindOf(key) }

// dependencies returns what the fields make of the keys that say what the document waits
// for, and what it waits for then. Ids that are there already keep their spelling. A key whose
// values cannot all be read is not written, since that would lose some.
func (f Fields) dependencies(doc *Document) (set []frontmatter.Assignment, after []string, err error) {
	if f.DependsOn == nil && len(f.AddDependsOn)+len(f.RemoveDependsOn) == 0 {
		return nil, nil, nil
	}
	added := f.AddDependsOn
	if f.DependsOn != nil {
		added = slices.Concat(*f.DependsOn, added)
	}
	drops := func(id string) bool {
		return f.DependsOn != nil && !names(added, id) || names(f.RemoveDependsOn, id)
	}
	present := doc.DependsOn()
	old := slices.DeleteFunc(slices.Clone(doc.Links), func(l frontmatter.LinkList) bool { return l.Kind != WaitsFor })
	if len(old) == 0 {
		old = []frontmatter.LinkList{{Key: doc.Layout().DependsOn}}
	}
	for i, list := range old {
		ids := slices.DeleteFunc(slices.Clone(list.Values), drops)
		for _, id := range added {
			if id = frontmatter.OneLine(id); i == 0 && id != "" && !drops(id) && !names(present, id) {
				ids, present = append(ids, id), append(present, id)
			}
		}
		if slices.Equal(ids, list.Values) {
			continue
		}
		if list.Partial {
			return nil, nil, &UneditableError{Reason: list.Key + " holds values that are no ids: correct them by hand first"}
		}
		set = append(set, frontmatter.Assignment{Key: list.Key, Value: ids})
	}
	return set, slices.DeleteFunc(present, drops), nil
}

// NewLinks returns what the document will wait for, and its parent, after an update that
// sets these fields; nil for what stays.
func (f Fields) NewLinks(doc *Document) (waitsFor *[]string, parent *string, err error) {
	set, after, err := f.dependencies(doc)
	if len(set) > 0 {
		waitsFor = &after
	}
	parent = f.Parent
	if raw, ok := f.Context["parentTaskId"]; ok {
		var id string
		if raw == nil || json.Unmarshal(raw, &id) == nil {
			parent = &id
		}
	}
	return waitsFor, parent, err
}

// names reports whether one of the ids names the document that a link leads to.
func names(ids []string, written string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return FoldID(LinkedID(id)) == FoldID(LinkedID(written)) })
}

// withParent takes the parent from the fields of the context where the document, or else the
// layout, has another key for it. Without a parent, no key of one is left.
func (f Fields) withParent(doc *Document, l *layout.Layout) Fields {
	raw, ok := f.Context["parentTaskId"]
	if !ok || f.Parent != nil {
		return f
	}
	var id string
	if raw != nil && json.Unmarshal(raw, &id) != nil {
		return f
	}
	switch keys := doc.ParentKeys; {
	case len(keys) == 0 && l.Parent == layout.ContextParent:
		return f
	case slices.Contains(keys, layout.ContextParent) && (id != "" || len(keys) == 1 || doc.Parent == ""):
		return f
	}
	f.Parent, f.Context = &id, maps.Clone(f.Context)
	delete(f.Context, "parentTaskId")
	return f
}

// parent returns what the fields make of the keys of the parent: the key that counts is
// set, and none is left when the parent is removed.
func (f Fields) parent(doc *Document) (top, context []frontmatter.Assignment) {
	if f.Parent == nil {
		return nil, nil
	}
	parent := frontmatter.OneLine(*f.Parent)
	if parent == doc.Parent {
		return nil, nil
	}
	keys := doc.ParentKeys
	var value any
	if parent != "" {
		keys, value = append(slices.Clone(keys), doc.Layout().Parent)[:1], parent
	}
	for _, key := range keys {
		if below, ok := strings.CutPrefix(key, frontmatter.ContextKey+"."); ok {
			context = append(context, frontmatter.Assignment{Key: below, Value: value})
		} else {
			top = append(top, frontmatter.Assignment{Key: key, Value: value})
		}
	}
	return top, context
}
