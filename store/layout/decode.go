package layout

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"issues-index/store/words"
	"issues-index/store/yamlfile"
)

// A decoder reads the keys of a layout. A value that is refused leaves a problem, and the layout
// is of no use then.
type decoder struct {
	layout     Layout
	key        string // that is being read
	schemeLine int    // of idScheme, 0 when there is none
	problems   []KeyProblem
}

func (d *decoder) problem(line int, format string, args ...any) {
	d.problems = append(d.problems, KeyProblem{line, d.key, fmt.Sprintf(format, args...)})
}

// refuse reports an error of package yamlfile.
func (d *decoder) refuse(err error) {
	if wrong := (*yamlfile.NodeError)(nil); errors.As(err, &wrong) {
		d.problem(wrong.Line, "%s", wrong.Reason)
	}
}

// plain refuses what settings have no use for, see yamlfile.CheckPlain.
func (d *decoder) plain(node *yaml.Node) bool {
	err := yamlfile.CheckPlain(node)
	d.refuse(err)
	return err == nil
}

// invalid reports a value of the key that is not what is allowed.
func (d *decoder) invalid(node *yaml.Node, allowed, reason string) {
	d.problem(node.Line, "invalid %s: must be %s; %s", d.key, allowed, reason)
}

// text reads a text on one line, of printable characters without blanks around it, that is one
// of the valid ones: "" with a problem for any other value. what names it.
func (d *decoder) text(node *yaml.Node, what, allowed string, valid func(text string) bool) string {
	text := node.Value
	odd := func(c rune) bool { return !unicode.IsPrint(c) }
	switch {
	case !d.plain(node):
		return ""
	case node.Kind != yaml.ScalarNode, yamlfile.IsNull(node), text == "", strings.TrimSpace(text) != text,
		!utf8.ValidString(text), strings.ContainsFunc(text, odd), !valid(text):
		d.problem(node.Line, "invalid %s %s: must be %s", what, quoted(node), allowed)
		return ""
	}
	return text
}

// oneOf reads one of several texts.
func (d *decoder) oneOf(node *yaml.Node, what string, allowed []string) string {
	valid := func(text string) bool { return slices.Contains(allowed, text) }
	return d.text(node, what, "one of "+strings.Join(allowed, ", "), valid)
}

// list returns the items of a list that is neither empty nor too long.
func (d *decoder) list(node *yaml.Node, allowed string, most int) []*yaml.Node {
	switch {
	case !d.plain(node):
	case node.Kind != yaml.SequenceNode:
		d.invalid(node, allowed, "this is "+yamlfile.Describe(node))
	case len(node.Content) == 0:
		d.invalid(node, allowed, "the list is empty")
	case len(node.Content) > most:
		d.invalid(node, allowed, fmt.Sprintf("there are %d", len(node.Content)))
	default:
		return node.Content
	}
	return nil
}

// block calls read with each member of a block whose names are all known and used once.
func (d *decoder) block(node *yaml.Node, allowed string, known []string, read func(name string, value *yaml.Node)) {
	switch {
	case !d.plain(node):
	case node.Kind != yaml.MappingNode || len(node.Content) == 0:
		d.invalid(node, allowed, "this is "+yamlfile.Describe(node))
	default:
		d.members(node, known, read)
	}
}

// members is block for a mapping, which for the whole file may have other names.
func (d *decoder) members(node *yaml.Node, known []string, read func(name string, value *yaml.Node)) {
	lines := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		isKnown := key.Kind == yaml.ScalarNode && slices.Contains(known, key.Value)
		switch {
		case !isKnown && d.key == "":
		case !isKnown:
			d.problem(key.Line, "%s has no %s: it has %s", d.key, quoted(key), strings.Join(known, ", "))
		case lines[key.Value] > 0:
			d.problem(key.Line, "%s is there twice, first in line %d", key.Value, lines[key.Value])
		case d.plain(key):
			lines[key.Value] = key.Line
			read(key.Value, value)
		}
	}
}

// quoted is the text of a scalar for a message, or what else the node is.
func quoted(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.MappingNode && node.Style&yaml.FlowStyle != 0: // as {id} is
		return "(a block without quotes around it)"
	case node.Kind != yaml.ScalarNode || yamlfile.IsNull(node):
		return "(" + yamlfile.Describe(node) + ")"
	}
	return fmt.Sprintf("%q", words.Cut(node.Value, maxName))
}
