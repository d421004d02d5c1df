package config

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"issues-index/store/layout"
)

// Some keys of the workspace's own file describe its documents, not the program. The
// workspace itself reads them there (see package layout), whatever file the rest of the
// configuration is in. Here they are checked and shown.

// LayoutOnly is the Repository of such a key: no other layer may set it.
const LayoutOnly = "yes, and only there"

// layoutKeys returns the keys that describe the workspace.
func layoutKeys() []*Key {
	var all []*Key
	for _, p := range layout.Properties() {
		all = append(all, &Key{
			Name: p.Name, Default: p.Default, Allowed: p.Allowed, Doc: p.Doc, Repository: LayoutOnly,
			standard: layoutValue(p.Default, p.Standard()), property: p,
		})
	}
	return all
}

func layoutValue(text string, data any) value {
	return value{text: text, exact: text, data: data, apply: func(*Config) {}}
}

// describe reads a key that describes the workspace.
func (r *fileReader) describe(k *Key, node *yaml.Node) {
	if !r.home.describes {
		r.problem(node.Line, k.Name, "%s describes the workspace, so it counts only in its own file: move it to %s", k.Name, DefaultFile)
		return
	}
	text, data, problems := k.property.Check(node)
	for _, p := range problems {
		r.problem(p.Line, k.Name, "%s", p.Message)
	}
	if len(problems) == 0 {
		r.set[k.Name] = layerValue{layoutValue(text, data), r.at(node.Line)}
	}
}

// errDescribes refuses a flag or variable for a key that describes the workspace.
var errDescribes = fmt.Errorf("it describes the workspace and counts only in %s", DefaultFile)
