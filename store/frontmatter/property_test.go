package frontmatter

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"issues-index/store/layout"
	"issues-index/store/yamlfile"
)

// checkEdit applies an edit to any document and holds what is true of every
// edit, by the lines of the file and by reading it anew. It reports whether the
// edit was refused.
func checkEdit(t testing.TB, name, before string, e Edit) (refused bool) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s\nedit %s\nbefore %q", name, fmt.Sprintf(format, args...), describe(e), before)
	}
	out, changed, err := e.Apply(Parse([]byte(before), "", layout.Default()), editTime)
	after := string(out)
	if !changed && after != before {
		fail("not changed, but other bytes: %q", after)
	}
	if err != nil {
		if uneditable := (*UneditableError)(nil); !errors.As(err, &uneditable) || changed {
			fail("changed %v, error %v", changed, err)
		}
		return true
	}
	if again, twice, err := e.Apply(Parse(out, "", layout.Default()), editTime.Add(time.Hour)); twice || err != nil || string(again) != after {
		fail("the second time: changed %v, error %v\nfirst %q\nthen  %q", twice, err, after, again)
	}
	if changed {
		if reason := differsElsewhere(before, after, e); reason != "" {
			fail("%s\nafter %q", reason, after)
		}
	}
	return false
}

func describe(e Edit) string {
	body := "-"
	if e.Body != nil {
		body = fmt.Sprintf("%q", *e.Body)
	}
	return fmt.Sprintf("set %q context %q body %s", e.Set, e.Context, body)
}

// touchedBy are the top-level keys that an edit may change.
func touchedBy(e Edit, key string) bool {
	names := func(list []Assignment) bool {
		return slices.ContainsFunc(list, func(a Assignment) bool { return a.Key == key })
	}
	return names(e.Set) || key == "wranglerContext" && len(e.Context) > 0 || names(e.Set) && key == "closedAt" ||
		key == "closedAt" && e.sets("status") || slices.Contains(updatedKeys, key)
}

// differsElsewhere says what an edit has changed that it was not asked to.
func differsElsewhere(before, after string, e Edit) string {
	if strings.HasPrefix(before, BOM) != strings.HasPrefix(after, BOM) {
		return "the byte order mark came or went"
	}
	old, found, _ := Split(before)
	fresh, fenced, problem := Split(after)
	if !fenced || problem != nil {
		return fmt.Sprintf("the frontmatter is gone: %+v", problem)
	}
	if !found {
		if before = strings.TrimPrefix(before, BOM); e.Body == nil && after[fresh.End:] != before {
			return "the body is not the old file"
		}
		return ""
	}
	head := func(text string, fm Block) string { return text[:strings.Index(text, "\n")+1] }
	if head(before, old) != head(after, fresh) {
		return "the opening fence differs"
	}
	if e.Body == nil {
		start, end := len(head(before, old))+len(old.YAML), len(head(after, fresh))+len(fresh.YAML)
		if before[start:] != after[end:] {
			return "the closing fence or the body differs"
		}
	}
	if reason := linesDiffer(old.YAML, fresh.YAML, e); reason != "" {
		return reason
	}
	return fieldsDiffer(before, after, e)
}

// A section is a key's lines: what it says, and the comments and blank lines
// that follow.
type section struct{ content, rest []string }

// keySections cuts the lines of a mapping in block style by its keys; ok is false
// for other frontmatter. Before the first key is the section "".
func keySections(text string) (m map[string]section, order []string, ok bool) {
	root, err := yamlfile.Decode([]byte(text))
	if err != nil || root == nil || root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 || strings.ContainsAny(text, "\u0085\u2028\u2029") || strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\r") {
		return nil, nil, false
	}
	lines := strings.SplitAfter(text, "\n")
	m = map[string]section{}
	name, from := "", 0
	cut := func(to int) {
		s := section{content: lines[from:to]}
		for len(s.content) > 0 {
			last := strings.TrimSpace(s.content[len(s.content)-1])
			if last != "" && last[0] != '#' {
				break
			}
			s.content, s.rest = s.content[:len(s.content)-1], append([]string{last}, s.rest...)
		}
		m[name] = s
		order = append(order, name)
	}
	for i := 0; i < len(root.Content); i += 2 {
		k := root.Content[i]
		if k.Kind != yaml.ScalarNode || k.Value == "" { // which the lines before the first key have for a name
			return nil, nil, false
		}
		cut(k.Line - 1)
		name, from = k.Value, k.Line-1
	}
	cut(len(lines))
	return m, order, true
}

// linesDiffer compares the frontmatter by lines: those of other keys, and the
// comments and blank lines between keys, are there in their order.
func linesDiffer(before, after string, e Edit) string {
	old, oldOrder, ok := keySections(before)
	fresh, freshOrder, ok2 := keySections(after)
	if !ok || !ok2 {
		return ""
	}
	var oldRest, freshRest []string
	stay := func(order []string, other map[string]section) (list []string) {
		for _, key := range order {
			if _, both := other[key]; both || !touchedBy(e, key) {
				list = append(list, key)
			}
		}
		return list
	}
	if a, b := stay(oldOrder, fresh), stay(freshOrder, old); !slices.Equal(a, b) {
		return fmt.Sprintf("the keys were %q and are %q", a, b)
	}
	for _, key := range oldOrder {
		oldRest = append(oldRest, old[key].rest...)
		if !touchedBy(e, key) && !slices.Equal(old[key].content, fresh[key].content) {
			return fmt.Sprintf("the lines of %s were %q and are %q", key, old[key].content, fresh[key].content)
		}
	}
	for _, key := range freshOrder {
		freshRest = append(freshRest, fresh[key].rest...)
	}
	if !subsequence(oldRest, freshRest) && !strings.Contains(before, "|") && !strings.Contains(before, ">") {
		return fmt.Sprintf("comments and blank lines were %q and are %q", oldRest, freshRest)
	}
	return ""
}

// subsequence reports whether all of part is in whole, in that order.
func subsequence(part, whole []string) bool {
	for _, s := range whole {
		if len(part) > 0 && part[0] == s {
			part = part[1:]
		}
	}
	return len(part) == 0
}

// fieldsDiffer compares what the two are read as.
func fieldsDiffer(before, after string, e Edit) string {
	old, fresh := parseFile(before), parseFile(after)
	for _, p := range fresh.Problems {
		if p.Frozen() {
			return fmt.Sprintf("there is a new problem: %+v", p)
		}
	}
	a, b := reflect.ValueOf(*old), reflect.ValueOf(*fresh)
	for field, key := range map[string]string{
		"ID": "id", "Type": "type", "Status": "status", "Priority": "priority",
		"Labels": "labels", "Assignee": "assignee", "Project": "project",
	} {
		if !touchedBy(e, key) && !reflect.DeepEqual(a.FieldByName(field).Interface(), b.FieldByName(field).Interface()) {
			return fmt.Sprintf("%s was %v and is %v", field, a.FieldByName(field), b.FieldByName(field))
		}
	}
	if len(e.Context) == 0 && !e.sets("wranglerContext") && string(old.Context) != string(fresh.Context) {
		return fmt.Sprintf("wranglerContext was %s and is %s", old.Context, fresh.Context)
	}
	x, y := without(old.Extra, e.Set), without(fresh.Extra, e.Set)
	if !maps.Equal(x, y) {
		return fmt.Sprintf("the other keys were %v and are %v", x, y)
	}
	if !e.sets("wranglerContext") {
		x, y = without(old.Context, e.Context), without(fresh.Context, e.Context)
		if !maps.Equal(x, y) {
			return fmt.Sprintf("wranglerContext was %v and is %v", x, y)
		}
	}
	return ""
}

// without is an object without the keys of an edit.
func without(object json.RawMessage, assigned []Assignment) map[string]string {
	var m map[string]json.RawMessage
	if object != nil {
		_ = json.Unmarshal(object, &m)
	}
	rest := map[string]string{}
	for key, value := range m {
		if !slices.ContainsFunc(assigned, func(a Assignment) bool { return a.Key == key }) {
			rest[key] = string(value)
		}
	}
	return rest
}
