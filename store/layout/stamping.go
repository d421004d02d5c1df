package layout

import "go.yaml.in/yaml/v3"

const allowedStamping = "true or false"

// stampUpdates reads whether changes write their time.
func (r *reader) stampUpdates(node *yaml.Node) {
	var stamp bool
	if node.ShortTag() != "!!bool" || node.Decode(&stamp) != nil {
		r.problem(node.Line, "invalid stampUpdates %s: must be %s", quoted(node), allowedStamping)
		return
	}
	r.layout.StampUpdates = stamp
}
