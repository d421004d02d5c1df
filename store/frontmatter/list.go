package frontmatter

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"
)

// mergeList makes a list's items those of the change. Items that stay keep their
// bytes; in a block list they keep their lines and the comments above them.
func (s *source) mergeList(old *yaml.Node, c change) ([]splice, error) {
	items := make([]listItem, len(old.Content))
	at := map[string]int{}
	for i, n := range old.Content {
		start, end, err := s.span(n)
		if err != nil {
			return nil, err
		}
		items[i] = listItem{n, start, end}
		if name := c.itemName(n); name != "" {
			if _, ok := at[name]; !ok {
				at[name] = i
			}
		}
	}
	// Old items stay where they are as long as their order allows it.
	var plan []plannedItem
	next := 0
	for _, n := range c.value.Content {
		p := plannedItem{stays: -1}
		i, ok := at[c.itemName(n)]
		switch {
		case ok && i >= next:
			p.stays, next = i, i+1
		case ok && s.sameLine(items[i].start, items[i].end):
			p.text = s.yaml[items[i].start:items[i].end]
		default:
			p.text = s.inline(n, items[len(items)-1].node, old.Style&yaml.FlowStyle != 0)
		}
		plan = append(plan, p)
	}
	if old.Style&yaml.FlowStyle != 0 {
		return s.mergeFlow(old, items, plan)
	}
	return s.mergeBlock(old, items, plan)
}

// A listItem is one of a list as it stands.
type listItem struct {
	node       *yaml.Node
	start, end int
}

// A plannedItem is one that a list shall have: an old one that stays in its
// place, or else a text.
type plannedItem struct {
	stays int // -1 when it does not
	text  string
}

// itemName tells equal items: by their JSON, or by their text where the reader
// does. It is "" for what has none.
func (c change) itemName(n *yaml.Node) string {
	if text, ok := unquotedWikiLink(n); ok && linkKinds[c.key] != "" {
		return text
	}
	if n = target(n); c.field() && n.Kind == yaml.ScalarNode && !isNull(n) {
		return OneLine(n.Value)
	}
	name, err := appendJSON(nil, n, 0)
	if err != nil {
		return ""
	}
	return string(name)
}

func (s *source) sameLine(start, end int) bool { return s.lineEnd(start) >= end }

// mergeFlow writes a list in brackets anew, with its own separator and padding.
func (s *source) mergeFlow(old *yaml.Node, items []listItem, plan []plannedItem) ([]splice, error) {
	_, end, err := s.span(old)
	if err != nil {
		return nil, err
	}
	start, last := items[0].start, items[len(items)-1].end
	separator := ", "
	for i, it := range items {
		next := end
		if i+1 < len(items) {
			next = items[i+1].start
		}
		gap := s.yaml[it.end:next]
		if strings.Contains(gap, "#") {
			return nil, errors.New("there are comments between the list's items")
		}
		if i == 0 && strings.TrimSpace(gap) == "," {
			separator = gap
		}
	}
	texts := make([]string, len(plan))
	for i, p := range plan {
		texts[i] = p.text
		if p.stays >= 0 {
			texts[i] = s.yaml[items[p.stays].start:items[p.stays].end]
		}
	}
	return []splice{{start, last, strings.Join(texts, separator)}}, nil
}

// mergeBlock takes the lines of items out and puts new ones between.
func (s *source) mergeBlock(old *yaml.Node, items []listItem, plan []plannedItem) ([]splice, error) {
	dashes, err := s.dashes(old, items)
	if err != nil {
		return nil, err
	}
	prefix := s.yaml[s.lineStart(dashes[0]):dashes[0]] + "- "
	if gap := s.yaml[dashes[0]+1 : items[0].start]; gap != "" && strings.Trim(gap, " ") == "" {
		prefix = prefix[:len(prefix)-1] + gap
	}
	var splices []splice
	stays := make([]bool, len(items))
	at := s.lineStart(dashes[0])
	for _, p := range plan {
		if p.stays >= 0 {
			stays[p.stays] = true
			at = s.nextLine(items[p.stays].end)
			continue
		}
		splices = append(splices, splice{at, at, prefix + p.text + s.eol})
	}
	for i, it := range items {
		if !stays[i] {
			splices = append(splices, splice{s.lineStart(dashes[i]), s.nextLine(it.end), ""})
		}
	}
	return splices, nil
}

// dashes finds the dash of each item of a block list; each begins its line.
func (s *source) dashes(old *yaml.Node, items []listItem) ([]int, error) {
	start, err := s.offset(old)
	if err != nil {
		return nil, err
	}
	_, at := s.properties(start)
	dashes := make([]int, len(items))
	for i, it := range items {
		dash := s.space(at)
		if dash >= len(s.yaml) || s.yaml[dash] != '-' || strings.Trim(s.yaml[s.lineStart(dash):dash], " ") != "" {
			return nil, errPlace
		}
		dashes[i], at = dash, it.end
	}
	return dashes, nil
}
