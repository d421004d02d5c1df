package issues

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A shortening makes a document's fields, its text aside, fit so many bytes, and
// keeps account of what is missing.
type shortening struct {
	left    int
	missing []string // as `95 more labels`
	fields  []string // arguments of issues_get that read what is missing
}

// shorten cuts what is long in a document's fields. The id, the path and short
// values stay; a title and the other texts are cut, labels, problems and keys are
// left out as far as they do not fit.
func (d document) shorten(size int) (document, shortening) {
	s := &shortening{left: size}
	d.ID = levels[1].id(d.ID, d.Path)
	s.left -= len(d.ID) + len(d.Path)
	d.Title = s.text("title", d.Title, max(40, size/3))
	small := max(40, size/12)
	for _, f := range []struct {
		name  string
		value *string
	}{
		{"type", &d.Type}, {"status", &d.Status}, {"priority", &d.Priority}, {"assignee", &d.Assignee}, {"project", &d.Project},
	} {
		*f.value = s.text(f.name, *f.value, small)
	}
	for _, stamp := range []string{d.CreatedAt, d.UpdatedAt, d.ClosedAt} {
		s.left -= len(stamp)
	}
	d.Problems = s.list("", "problem", d.Problems, size/6)
	if d.Labels != nil {
		shown := s.list("labels", "label", *d.Labels, size/4)
		if d.Labels = &shown; len(shown) == 0 {
			d.Labels = nil
		}
	}
	d.WranglerContext = s.object("wranglerContext", d.WranglerContext, size/3)
	d.Frontmatter = s.object("", d.Frontmatter, size/3)
	return d, *s
}

// bare is what of a document tells it from the others, its title cut.
func (d document) bare(title int, path bool) (document, shortening) {
	s := &shortening{}
	b := document{ID: d.ID, Title: s.text("title", d.Title, title)}
	if path {
		b.Path, b.Type, b.Status = d.Path, s.text("type", d.Type, title), s.text("status", d.Status, title)
	}
	s.missing, s.fields = []string{"the other fields"}, []string{"title", "status", "labels"}
	return b, *s
}

// note says what is missing and how to read it, "" when nothing is. asked are
// the fields that the call asked for: to ask for those again is no help.
func (s shortening) note(id string, asked []string) string {
	if len(s.missing) == 0 {
		return ""
	}
	note := "Left out: " + strings.Join(s.missing, ", ") + "."
	fields := slices.DeleteFunc(slices.Clone(s.fields), func(field string) bool { return slices.Contains(asked, field) })
	quoted, err := json.Marshal(fields)
	if len(fields) == 0 || err != nil {
		note += " Pass a larger maxTokens, or read the file, to see more."
	} else {
		note += fmt.Sprintf(" Read them with issues_get {id: '%s', fields: %s}, or with maxTokens.", line(id), quoted)
	}
	if slices.Contains(s.fields, "wranglerContext") {
		note += " issues_metadata with operation get and a key reads one key."
	}
	return note
}

func (s *shortening) lost(field, what string) {
	s.missing = append(s.missing, what)
	if field != "" {
		s.fields = append(s.fields, field)
	}
}

// text cuts a text to so many bytes.
func (s *shortening) text(field, value string, size int) string {
	shown := cutBytes(value, size)
	if shown != value {
		s.lost(field, fmt.Sprintf("%d more characters of the %s", utf8.RuneCountInString(value)-utf8.RuneCountInString(shown)+1, field))
	}
	s.left -= len(shown)
	return shown
}

// list leaves out the values at the end that do not fit.
func (s *shortening) list(field, what string, values []string, size int) []string {
	size = min(size, s.left)
	for i, value := range values {
		if size -= len(value) + len(`"",`); size < 0 {
			s.lost(field, counted(len(values)-i, "more "+what))
			return slices.Clone(values[:i])
		}
		s.left -= len(value)
	}
	return values
}

// object leaves out the members that do not fit.
func (s *shortening) object(field string, object json.RawMessage, size int) json.RawMessage {
	if size = min(size, s.left); len(object) <= size {
		s.left -= len(object)
		return object
	}
	name := field
	if name == "" {
		name = "frontmatter"
	}
	var members map[string]json.RawMessage
	var kept []string
	if json.Unmarshal(object, &members) == nil {
		for _, key := range sortedBySize(members) {
			member := string(asJSON(key)) + ":" + string(members[key])
			if size -= len(member) + 1; size < 0 {
				break
			}
			kept = append(kept, member)
			delete(members, key)
		}
	}
	bytes := 0
	for key, member := range members {
		bytes += len(key) + len(member)
	}
	s.lost(field, fmt.Sprintf("%s of %s (%s, %d bytes)", counted(len(members), "key"), name, examples(members), bytes))
	if len(kept) == 0 {
		return nil
	}
	s.left -= len(strings.Join(kept, ","))
	return json.RawMessage("{" + strings.Join(kept, ",") + "}")
}

// examples names some of the keys.
func examples(members map[string]json.RawMessage) string {
	const most, length = 3, 24
	var names []string
	for _, key := range sortedBySize(members) {
		if len(names) == most {
			return strings.Join(names, ", ") + ", …"
		}
		names = append(names, cut(line(key), length))
	}
	return strings.Join(names, ", ")
}

// sortedBySize returns the keys of the shorter members first.
func sortedBySize(members map[string]json.RawMessage) []string {
	keys := make([]string, 0, len(members))
	for key := range members {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if by := len(a) + len(members[a]) - len(b) - len(members[b]); by != 0 {
			return by
		}
		return strings.Compare(a, b)
	})
	return keys
}

func asJSON(text string) json.RawMessage {
	quoted, err := json.Marshal(text)
	if err != nil { // a string always has a JSON form
		return json.RawMessage(`""`)
	}
	return quoted
}

// cutBytes is s in at most so many bytes, the last character … when some are
// missing.
func cutBytes(s string, size int) string {
	if len(s) <= size {
		return s
	}
	end := max(0, size-len("…"))
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.TrimRight(s[:end], " ") + "…"
}

// counted is a number of things: `1 label`, `2 labels`.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
