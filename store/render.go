package store

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"issues-index/store/frontmatter"
	"issues-index/store/layout"
	"issues-index/store/markdown"
	"issues-index/store/orderedjson"
)

// render is the new file. Its first keys are there even when their value says nothing. The
// type is left to the folder where the layout names one: in the frontmatter of another
// program the key may mean something else.
func (n NewDocument) render(l *layout.Layout, id string, now time.Time) ([]byte, error) {
	var fields []frontmatter.Assignment
	add := func(key string, value any) { fields = append(fields, frontmatter.Assignment{Key: key, Value: value}) }
	at := now.UTC().Format(l.TimeLayout())
	add("id", id)
	add("title", n.Title)
	if !l.Mapped(n.Type) {
		add("type", n.Type)
	}
	add("status", n.Status)
	add("priority", n.Priority)
	add("labels", n.Labels)
	add(l.Created, at)
	if l.StampUpdates {
		add(l.Updated, at)
	}
	if l.Closed != "" && l.Finished(n.Status) {
		add(l.Closed, at)
	}
	if frontmatter.OneLine(n.Assignee) != "" {
		add("assignee", n.Assignee)
	}
	if frontmatter.OneLine(n.Project) != "" {
		add("project", n.Project)
	}
	if len(n.DependsOn) > 0 {
		add(l.DependsOn, n.DependsOn)
	}
	inContext, below := strings.CutPrefix(l.Parent, frontmatter.ContextKey+".")
	if n.Parent != "" && !below {
		add(l.Parent, n.Parent)
	}
	if n.Extra != nil {
		extra, err := orderedjson.Parse(n.Extra)
		if err != nil {
			return nil, &ValueError{Field: "frontmatter", Value: string(n.Extra), Reason: err.Error()}
		}
		for _, member := range extra {
			add(member.Name, member.Value)
		}
	}
	context := n.Context
	if n.Parent != "" && below {
		var err error
		if context, err = withMember(context, inContext, n.Parent); err != nil {
			return nil, err
		}
	}
	return frontmatter.New(fields, context, n.body(l))
}

// takeParent takes the parent out of a context: the layout has another key for it.
func takeParent(context json.RawMessage) (parent string, rest json.RawMessage, err error) {
	if context == nil {
		return "", nil, nil
	}
	object, err := orderedjson.Parse(context)
	if err != nil {
		return "", nil, &ValueError{Field: frontmatter.ContextKey, Value: string(context), Reason: err.Error()}
	}
	for i, member := range object {
		key := frontmatter.ContextKey + "." + member.Name
		if key != layout.ContextParent || json.Unmarshal(member.Value, &parent) != nil || parent == "" {
			continue
		}
		if object = slices.Delete(object, i, i+1); len(object) == 0 {
			return parent, nil, nil
		}
		rest, err = object.MarshalJSON()
		return parent, rest, err
	}
	return "", context, nil
}

// withMember is a context, nil for none, with one text in it.
func withMember(context json.RawMessage, name, text string) (json.RawMessage, error) {
	var object orderedjson.Object
	if context != nil {
		var err error
		if object, err = orderedjson.Parse(context); err != nil {
			return nil, &ValueError{Field: frontmatter.ContextKey, Value: string(context), Reason: err.Error()}
		}
	}
	object.Put(name, orderedjson.Text(text))
	return object.MarshalJSON()
}

// body is the text of the new document, below the layout's heading where it begins with
// none.
func (n NewDocument) body(l *layout.Layout) string {
	text := strings.TrimLeft(n.Description, "\r\n")
	if l.DescriptionHeading == "" || strings.TrimSpace(text) == "" {
		return n.Description
	}
	if outline := markdown.Outline(text); len(outline) > 0 && outline[0].Line == 1 {
		return "\n" + text
	}
	return "\n## " + l.DescriptionHeading + "\n\n" + text
}
