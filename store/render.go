package store

import (
	"encoding/json"
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
	extra, err := assignments("frontmatter", n.Extra)
	if err != nil {
		return nil, err
	}
	context, err := assignments(frontmatter.ContextKey, n.Context)
	if err != nil {
		return nil, err
	}
	if n.Parent != "" && below {
		context = append(context, frontmatter.Assignment{Key: inContext, Value: n.Parent})
	}
	return frontmatter.New(append(fields, extra...), context, n.body(l))
}

// assignments are the members of a JSON object that is the value of a field, none for nil.
func assignments(field string, data json.RawMessage) (list []frontmatter.Assignment, err error) {
	if data == nil {
		return nil, nil
	}
	object, err := orderedjson.Parse(data)
	if err != nil {
		return nil, &ValueError{Field: field, Value: string(data), Reason: err.Error()}
	}
	for _, member := range object {
		list = append(list, frontmatter.Assignment{Key: member.Name, Value: member.Value})
	}
	return list, nil
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
	name := strings.TrimPrefix(layout.ContextParent, frontmatter.ContextKey+".")
	_ = json.Unmarshal(object.Get(name), &parent) // a value that is no text stays where it is
	if parent == "" {
		return "", context, nil
	}
	object.Delete(name)
	rest, err = object.MarshalJSON()
	return parent, rest, err
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
