package views

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"issues-index/index/where"
	"issues-index/store/words"
	"issues-index/store/yamlfile"
)

// What a file of views may have at most.
const (
	maxViews = 200
	maxLimit = 1000 // documents of a column
)

// boardsKey is the one key at the top that is no view.
const boardsKey = "boards"

// parse reads a file, and returns the names that it uses, too, as far as it is YAML.
func parse(data []byte) (set *Set, used []string, err error) {
	set = &Set{Views: map[string]View{}, Boards: map[string]Board{}}
	top, err := yamlfile.Decode(data)
	if err != nil {
		return nil, nil, fileError(err)
	}
	if top == nil {
		return set, nil, nil
	}
	if top.Kind == yaml.MappingNode {
		for i := 0; i < len(top.Content); i += 2 {
			used = append(used, top.Content[i].Value)
		}
	}
	err = eachKey(top, "the file", nil, func(key, value *yaml.Node) (err error) {
		name := key.Value
		if name == boardsKey {
			return eachKey(value, name, nil, func(key, value *yaml.Node) error {
				set.Boards[key.Value], err = readBoard(key.Value, value)
				return err
			})
		}
		if len(set.Views) == maxViews {
			return at(key, "there are more than %d views", maxViews)
		}
		set.Views[name], err = readView(name, value)
		return err
	})
	if err != nil {
		return nil, used, err
	}
	return set, used, nil
}

// fileError makes a *FileError of an error of package yamlfile.
func fileError(err error) error {
	if wrong := (*yamlfile.NodeError)(nil); errors.As(err, &wrong) {
		return &FileError{Line: wrong.Line, Reason: wrong.Reason}
	}
	return err
}

func at(n *yaml.Node, format string, args ...any) error {
	return &FileError{Line: n.Line, Reason: fmt.Sprintf(format, args...)}
}

// eachKey goes through the keys of a mapping, each of them once and one of known, if that is
// not nil.
func eachKey(n *yaml.Node, what string, known []string, read func(key, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return at(n, "%s has to be `key: value` lines", what)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode || key.Value == "":
			return at(key, "a name is missing")
		case seen[key.Value]:
			return at(key, "%q is there twice", key.Value)
		case yamlfile.CheckPlain(value) != nil:
			return fileError(yamlfile.CheckPlain(value))
		case known != nil && !slices.Contains(known, key.Value):
			message := fmt.Sprintf("%s has no %q; it takes %s", what, key.Value, strings.Join(known, ", "))
			if near := words.Nearest(key.Value, known); near != "" {
				message += "; did you mean " + near + "?"
			}
			return at(key, "%s", message)
		}
		seen[key.Value] = true
		if err := read(key, value); err != nil {
			return err
		}
	}
	return nil
}

func readView(name string, n *yaml.Node) (View, error) {
	v := View{Name: name}
	var condition, order string
	at, sortAt := n, n
	err := eachKey(n, "the view "+name, []string{"where", "sort", "columns"}, func(key, value *yaml.Node) (err error) {
		switch key.Value {
		case "where":
			at = value
			condition, err = text(key, value)
		case "sort":
			sortAt = value
			order, err = text(key, value)
		case "columns":
			v.Columns, err = columns(key, value)
		}
		return err
	})
	if err == nil {
		v.Criteria, v.parts, err = criteria("the view "+name, at, condition, sortAt, order)
	}
	return v, err
}

// criteria reads the criteria of a view or a column, and the parts that they are made of.
func criteria(
	of string, n *yaml.Node, condition string, sortNode *yaml.Node, order string,
) (*where.Criteria, []part, error) {
	const sort = "sort "
	parts := []part{{line: n.Line, of: of}, {line: sortNode.Line, of: of + ", sort", shift: len(sort)}}
	texts := []string{condition, sort + order}
	if order == "" {
		parts = parts[:1]
	}
	joined := &where.Criteria{}
	for i := range parts {
		var err error
		parts[i].criteria, err = where.Parse(texts[i])
		if err != nil {
			return nil, nil, parts[i].wrong(err)
		}
		joined = where.Join(joined, parts[i].criteria)
	}
	return joined, parts, nil
}

func text(key, value *yaml.Node) (string, error) {
	if value.Kind != yaml.ScalarNode {
		return "", at(value, "%s has to be one text; put it in quotes", key.Value)
	}
	return value.Value, nil
}

func columns(key, value *yaml.Node) ([]string, error) {
	if value.Kind != yaml.SequenceNode {
		return nil, at(value, "%s has to be a list", key.Value)
	}
	var all []string
	for _, item := range value.Content {
		name, ok := words.Respell(item.Value, Columns)
		if item.Kind != yaml.ScalarNode || !ok {
			return nil, at(item, "there is no column %q; there are %s", item.Value, strings.Join(Columns, ", "))
		}
		all = append(all, name)
	}
	return all, nil
}

func readBoard(name string, n *yaml.Node) (Board, error) {
	b := Board{Name: name}
	err := eachKey(n, "the board "+name, []string{"columns"}, func(_, value *yaml.Node) error {
		if value.Kind != yaml.SequenceNode {
			return at(value, "columns has to be a list")
		}
		for _, item := range value.Content {
			column, err := readColumn(item)
			if err != nil {
				return err
			}
			b.Columns = append(b.Columns, column)
		}
		return nil
	})
	return b, err
}

func readColumn(n *yaml.Node) (BoardColumn, error) {
	var c BoardColumn
	var condition string
	err := eachKey(n, "a column", []string{"name", "where", "set", "limit"}, func(key, value *yaml.Node) (err error) {
		switch key.Value {
		case "name":
			c.Name, err = text(key, value)
		case "where":
			condition, err = text(key, value)
		case "limit":
			if c.Limit, err = strconv.Atoi(value.Value); err != nil || c.Limit < 1 || c.Limit > maxLimit {
				err = at(value, "limit has to be a number from 1 to %d", maxLimit)
			}
		case "set":
			c.Set = map[string]string{}
			err = eachKey(value, "set", nil, func(key, value *yaml.Node) (err error) {
				c.Set[key.Value], err = text(key, value)
				return err
			})
		}
		return err
	})
	if err == nil && c.Name == "" {
		err = at(n, "a column has no name")
	}
	if err == nil {
		c.Criteria, c.parts, err = criteria("the column "+c.Name, n, condition, n, "")
	}
	return c, err
}
