package store

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"issues-index/store/frontmatter"
)

// Written is what a mutation did. It is durable, and After was read back from
// the disk.
type Written struct {
	Before, After *Document // Before is nil for a new document
	Path, OldPath string    // they differ when the file moved; OldPath is "" for a new document
	Changes       []FieldChange
	// The file as it was read back, for an index to take over.
	File   File
	Data   []byte
	ReadAt time.Time // before it was read
	// Changed is false when everything was already as asked, and where it belongs.
	// Then the file was not touched, and After is Before.
	Changed bool
	// Note says what could not be taken into account in the time there was, "" for nothing.
	Note string
}

// written is what a mutation did whose file reads as after.
func (after *loaded) written(before *Document) Written {
	done := Written{
		Before: before, After: after.doc, Path: after.Path, Changed: true,
		File: after.File, Data: after.data, ReadAt: after.readAt,
	}
	if before != nil {
		done.OldPath, done.Changes = before.Path, Compare(before, after.doc)
	}
	return done
}

// A FieldChange is one field's value before and after, "" where there is none. Labels and the ids
// of dependsOn, whatever its key, are joined with ", ". A part of the context is the field
// wranglerContext.KEY with JSON for its values. The body is the field description, whole.
type FieldChange struct {
	Field string `json:"field"`
	Old   string `json:"old"`
	New   string `json:"new"`
}

// Compare lists the fields that differ, times excepted.
func Compare(before, after *Document) []FieldChange {
	var list []FieldChange
	add := func(field, was, is string) {
		if was != is {
			list = append(list, FieldChange{field, was, is})
		}
	}
	add("id", before.ID, after.ID)
	add("title", before.Title, after.Title)
	add("type", before.WrittenType(), after.WrittenType())
	add("status", before.Status, after.Status)
	add("priority", before.Priority, after.Priority)
	add("labels", strings.Join(before.Labels, ", "), strings.Join(after.Labels, ", "))
	add("assignee", before.Assignee, after.Assignee)
	add("project", before.Project, after.Project)
	add("dependsOn", strings.Join(before.DependsOn(), ", "), strings.Join(after.DependsOn(), ", "))
	was, is := contextParts(before), contextParts(after)
	if bytes.Equal(was["parentTaskId"], is["parentTaskId"]) {
		add("parent", before.Parent, after.Parent)
	}
	for _, key := range sortedKeys(was, is) {
		if !bytes.Equal(was[key], is[key]) {
			add(frontmatter.ContextKey+"."+key, string(was[key]), string(is[key]))
		}
	}
	add("description", before.Body, after.Body)
	return list
}

// contextParts is the context by key, compact.
func contextParts(doc *Document) map[string]json.RawMessage {
	var parts map[string]json.RawMessage
	if doc.Context == nil || json.Unmarshal(doc.Context, &parts) != nil {
		return nil
	}
	return parts
}

// sortedKeys are the keys of all maps, each once.
func sortedKeys(all ...map[string]json.RawMessage) []string {
	var keys []string
	for _, m := range all {
		keys = slices.AppendSeq(keys, maps.Keys(m))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
