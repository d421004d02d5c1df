package issues

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/words"
	"issues-index/tools"
)

// maxTitle limits a title, in characters.
const maxTitle = 200

// readTitle reads a title, in one line. It may be absent.
func readTitle(args *tools.Args) string {
	title := strings.TrimSpace(args.String("title"))
	if strings.ContainsAny(title, "\r\n") {
		title = words.OneLine(title)
	}
	if length := utf8.RuneCountInString(title); length > maxTitle {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid title: it has %d characters.", length).
			On("title").Try("The maximum is %d; put the rest into the description.", maxTitle))
	}
	return title
}

// readFields reads what an update sets. Absent and blank fields stay as they are. An empty
// list clears the labels; "" or null clears the assignee or project. Any other null is
// refused, because the caller means something by it and nothing would be done.
func readFields(args *tools.Args, l *layout.Layout) store.Fields {
	for _, name := range []string{"title", "description", "type", "status", "priority", "wranglerContext"} {
		args.RefuseNull(name, "Pass a value, or leave "+name+" out to keep what the document has.")
	}
	args.RefuseNull("dependsOn", "Pass [] to wait for nothing, or leave dependsOn out to keep it.")
	args.RefuseNull("labels", "Pass [] to clear the labels, or leave labels out to keep them.")
	f := store.Fields{
		Type:     nonBlank(args.Enum("type", store.Types...)),
		Status:   nonBlank(args.Choice("status", l.StatusValues())),
		Priority: nonBlank(args.Choice("priority", l.PriorityValues())),
		Title:    nonBlank(readTitle(args)),
		Context:  readContext(args),
		Labels:   readLabels(args),
		Assignee: clearable(args, "assignee"),
		Project:  clearable(args, "project"),
		Parent:   clearable(args, "parent"),

		AddLabels:       writtenLabels(args, "addLabels"),
		RemoveLabels:    writtenLabels(args, "removeLabels"),
		DependsOn:       readDependsOn(args),
		AddDependsOn:    args.IDs("addDependsOn"),
		RemoveDependsOn: args.IDs("removeDependsOn"),

		Description: nonBlank(args.String("description")),
	}
	for _, name := range []string{"title", "description"} {
		if args.Has(name) && strings.TrimSpace(args.String(name)) == "" {
			args.Note("an empty " + name + " changes nothing")
		}
	}
	return f
}

// readDependsOn reads what a document shall wait for. An empty list clears it; an absent one
// keeps it.
func readDependsOn(args *tools.Args) *[]string {
	if !args.Has("dependsOn") {
		return nil
	}
	ids := args.IDs("dependsOn")
	return &ids
}

// readContext reads the keys of wranglerContext to set. A null is refused: it may mean
// remove the key or set it to null.
func readContext(args *tools.Args) map[string]json.RawMessage {
	members := args.Members("wranglerContext")
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if bytes.Equal(members[key], []byte("null")) {
			field := "wranglerContext." + tools.Plain(key)
			args.Fail(tools.Errorf(tools.CodeValidation, "Invalid %s: got null.", field).On(field).
				Try("Leave the key out to keep it; issues_metadata with operation remove removes it, with set it takes a null."))
		}
	}
	return members
}

// clearable reads a text that "" and null clear, nil when it is absent.
func clearable(args *tools.Args, name string) *string {
	if !args.Has(name) && !args.Null(name) {
		return nil
	}
	value := strings.TrimSpace(args.String(name))
	return &value
}

func nonBlank(value string) *string {
	if strings.TrimSpace(value) == "" {
		return nil
	}
	return &value
}

// readLabels reads the labels to set. An empty list clears the labels. For an absent list
// and a list of blanks it returns nil, which keeps them.
func readLabels(args *tools.Args) *[]string {
	labels := writtenLabels(args, "labels")
	if len(labels) == 0 && args.Given()["labels"] != "[]" {
		return nil
	}
	return &labels
}

// writtenLabels reads the labels of an argument, each once. The string `a,b` is two labels; in
// a list it is one.
func writtenLabels(args *tools.Args, name string) []string {
	items := args.Strings(name)
	if raw := bytes.TrimSpace(args.JSON(name)); bytes.HasPrefix(raw, []byte(`"`)) && !listText(raw) {
		items = args.Names(name)
	}
	labels := []string{}
	for _, item := range items {
		if label := words.OneLine(item); !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	return labels
}

// listText reports whether a JSON string is the text of a JSON list.
func listText(raw json.RawMessage) bool {
	var text string
	var items []string
	return json.Unmarshal(raw, &text) == nil && json.Unmarshal([]byte(text), &items) == nil
}

// contextObject returns the wranglerContext of a new document without its nulls, nil when
// nothing is left. Some clients send null for everything that they leave out.
func contextObject(members map[string]json.RawMessage) (json.RawMessage, error) {
	maps.DeleteFunc(members, func(_ string, value json.RawMessage) bool { return bytes.Equal(value, []byte("null")) })
	if len(members) == 0 {
		return nil, nil
	}
	return json.Marshal(members)
}
