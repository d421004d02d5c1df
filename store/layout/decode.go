package layout

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"issues-index/store/words"
	"issues-index/store/yamlfile"
)

// A decoder reads the values of properties. A value that is refused leaves a problem, and the
// layout is of no use then.
type decoder struct {
	layout   Layout
	property *Property  // that is being read
	node     *yaml.Node // its value
	problems []KeyProblem
}

// problem adds a problem with a text in the value, "" for the value as a whole.
func (d *decoder) problem(text, format string, args ...any) {
	line := cmp.Or(lineOf(d.node, text), d.node.Line)
	d.problems = append(d.problems, KeyProblem{line, d.property.Name, fmt.Sprintf(format, args...)})
}

// lineOf is the line of the first place that has a text, 0 when there is none.
func lineOf(node *yaml.Node, text string) (line int) {
	if text != "" && node.Value == text {
		return node.Line
	}
	for _, n := range node.Content {
		if line == 0 {
			line = lineOf(n, text)
		}
	}
	return line
}

// invalid reports that the value as a whole is not what is allowed.
func (d *decoder) invalid() {
	d.problem("", "invalid %s: must be %s", d.property.Name, d.property.Allowed)
}

// refuse reports an error of package yamlfile, if it is one.
func (d *decoder) refuse(err error) bool {
	wrong := (*yamlfile.NodeError)(nil)
	if errors.As(err, &wrong) {
		d.problems = append(d.problems, KeyProblem{wrong.Line, d.property.Name, wrong.Reason})
	}
	return wrong != nil
}

// tooMany refuses a list that has more items than it may have, or none.
func (d *decoder) tooMany(items, most int) bool {
	if items == 0 || items > most {
		d.invalid()
		return true
	}
	return false
}

// decode reads the value into lists, maps and texts, which any single value is. ok is false
// when it is of another form: of which line of it, the library says.
func (d *decoder) decode(into any) (ok bool) {
	if d.refuse(plain(d.node)) {
		return false
	}
	err := d.node.Decode(into)
	if err == nil && !yamlfile.IsNull(d.node) {
		return true
	}
	d.invalid()
	problem := &d.problems[len(d.problems)-1]
	if wrong := (*yaml.TypeError)(nil); errors.As(err, &wrong) {
		_, _ = fmt.Sscanf(wrong.Errors[0], "line %d:", &problem.Line)
		if _, twice, ok := strings.Cut(wrong.Errors[0], "mapping key "); ok {
			problem.Message = d.property.Name + " has the key " + twice
		}
	}
	if _, isText := into.(*string); isText && d.node.Kind == yaml.MappingNode {
		problem.Message += ": put quotes around a text that begins with {"
	}
	return false
}

// plain refuses what settings have no use for, see yamlfile.CheckPlain.
func plain(node *yaml.Node) error {
	err := yamlfile.CheckPlain(node)
	for _, n := range node.Content {
		err = cmp.Or(err, plain(n))
	}
	return err
}

// text reports whether a text is one line of printable characters without blanks around it,
// and one of the valid ones; else there is a problem. what names it.
func (d *decoder) text(what, text, allowed string, valid func(text string) bool) bool {
	odd := func(c rune) bool { return !unicode.IsPrint(c) }
	if text == "" || strings.TrimSpace(text) != text || strings.ContainsFunc(text, odd) || !valid(text) {
		d.problem(text, "invalid %s %q: must be %s", what, words.Cut(text, maxName), allowed)
		return false
	}
	return true
}

// oneText reads a value that is one text.
func (d *decoder) oneText(into *string, valid func(text string) bool) bool {
	return d.decode(into) && d.text(d.property.Name, *into, d.property.Allowed, valid)
}

// oneOf is text for one of several.
func (d *decoder) oneOf(what, text string, allowed []string) bool {
	valid := func(text string) bool { return slices.Contains(allowed, text) }
	return d.text(what, text, "one of "+strings.Join(allowed, ", "), valid)
}

// known reports whether a block has some names, and no others.
func known[V any](d *decoder, block map[string]V, names ...string) bool {
	if len(block) == 0 {
		d.invalid()
	}
	for _, name := range slices.Sorted(maps.Keys(block)) {
		if !slices.Contains(names, name) {
			d.problem(name, "%s has no %q: it has %s", d.property.Name, words.Cut(name, maxName), strings.Join(names, ", "))
		}
	}
	return len(block) > 0
}
