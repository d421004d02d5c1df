package frontmatter

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"issues-index/store/pattern"
)

// A pair is one key of a mapping and its value.
type pair struct {
	key   string
	value *yaml.Node
	line  int // of the YAML, see Block.fileLine
}

// parseYAML reads frontmatter; root is nil where it is empty. It goes through
// yaml.Node and never decodes into Go values, so that every scalar keeps its
// literal text.
func parseYAML(b Block) (root *yaml.Node, problem *Problem) {
	root, err := decodeYAML(b.YAML)
	if err != nil {
		return nil, b.explain(err)
	}
	return root, b.check(root)
}

// check says why a root is not that of a document's frontmatter.
func (b Block) check(root *yaml.Node) *Problem {
	switch {
	case root == nil || isNull(root):
		return nil
	case b.glued > 0: // a second YAML document, which the decoder passes over
		return b.unclosed()
	case root.Kind != yaml.MappingNode:
		return &Problem{ProblemInvalidYAML, "the frontmatter is not a list of `key: value` lines", b.fileLine(root.Line)}
	}
	return b.duplicateKey(root, 0)
}

// decodeYAML returns the root node, nil when there is none. The library reports some
// errors by panicking; whatever it lets through must not take the program along.
func decodeYAML(text string) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, fmt.Errorf("yaml: %v", r)
		}
	}()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, err
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 {
		return nil, nil
	}
	root = doc.Content[0]
	if root.Style&yaml.FlowStyle == 0 && len(root.Content) > 0 && root.Content[0].Column == 1 {
		return root, nil // every line that follows belongs to it
	}
	return root, afterRoot(text)
}

// afterRoot returns the error of lines behind the root that Unmarshal passes over: those less
// deep than an indented root, and those behind one in braces.
func afterRoot(text string) error {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var doc yaml.Node
	if err := decoder.Decode(&doc); err != nil {
		return err
	}
	if err := decoder.Decode(&doc); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

var (
	yamlErrorLine = pattern.Lazy(`^line (\d+): `)
	unknownAnchor = pattern.Lazy(`unknown anchor '(.+)' referenced`)
	// parserError tells the errors whose line the library counts from 0.
	parserError = pattern.Lazy(`did not find expected (key|',' or|'-' indicator|node content|<)`)
)

// yamlHints turn the library's words into what to do.
var yamlHints = []struct{ text, hint string }{
	{"mapping values are not allowed", `put a value that contains ": " in quotes`},
	{"character that cannot start any token", "put a value that starts with @, ` or % in quotes, and indent with spaces, not tabs"},
	{"did not find expected alphabetic or numeric character", "put a value that starts with * or & in quotes"},
	{"unknown anchor", "put a value that starts with * in quotes"},
	{"could not find expected ':'", "a line is neither `key: value` nor part of a value"},
	{"did not find expected <document start>", "a line is indented less than the keys above it, or follows a closing brace"},
	{"did not find expected key", "text follows a closing quote, or a line is not indented as its neighbours are"},
}

// explain turns an error of the YAML library into a problem.
func (b Block) explain(err error) *Problem {
	if b.glued > 0 {
		return b.unclosed()
	}
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1 // of the YAML; the library names every line but its first
	if m := yamlErrorLine().FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		message = message[len(m[0]):]
		if parserError().MatchString(message) {
			line++
		}
	} else if m := unknownAnchor().FindStringSubmatch(message); m != nil {
		before, _, _ := strings.Cut(b.YAML, "*"+m[1])
		line += len(yamlBreak().FindAllString(before, -1))
	}
	for _, h := range yamlHints {
		if strings.Contains(message, h.text) {
			message += " (" + h.hint + ")"
			break
		}
	}
	return &Problem{ProblemInvalidYAML, "the frontmatter is not valid YAML: " + message, b.fileLine(line)}
}

// yamlBreak is a line break to the YAML library: more than to an editor.
var yamlBreak = pattern.Lazy("\r\n|[\r\n\u0085\u2028\u2029]")

// fileLine is the line of the file that a line of the YAML, from 1, is on.
func (b Block) fileLine(line int) int {
	breaks := yamlBreak().FindAllStringIndex(b.YAML, max(line-1, 0))
	if len(breaks) == 0 {
		return 2
	}
	return 2 + strings.Count(b.YAML[:breaks[len(breaks)-1][1]], "\n")
}

// duplicateKey finds a key that a mapping has twice, at any depth.
func (b Block) duplicateKey(n *yaml.Node, depth int) *Problem {
	if depth > maxDepth {
		return nil // such a value is refused on its own account
	}
	if n.Kind == yaml.MappingNode {
		seen := make(map[string]int, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			if k.Kind != yaml.ScalarNode {
				continue
			}
			if first, ok := seen[k.Value]; ok {
				return &Problem{ProblemDuplicateKey, fmt.Sprintf("the key %q stands twice in the frontmatter, on lines %d and %d", shorten(k.Value), b.fileLine(first), b.fileLine(k.Line)), b.fileLine(k.Line)}
			}
			seen[k.Value] = k.Line
		}
	}
	for _, c := range n.Content {
		if p := b.duplicateKey(c, depth+1); p != nil {
			return p
		}
	}
	return nil
}

// pairs lists a mapping's keys in order. A key that is itself a list or mapping
// has no name to go by and is left out.
func pairs(n *yaml.Node) []pair {
	if n == nil {
		return nil
	}
	list := make([]pair, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Kind == yaml.ScalarNode {
			list = append(list, pair{k.Value, n.Content[i+1], k.Line})
		}
	}
	return list
}

// target follows an alias to what it stands for.
func target(n *yaml.Node) *yaml.Node {
	for range maxDepth {
		if n.Kind != yaml.AliasNode || n.Alias == nil {
			break
		}
		n = n.Alias
	}
	return n
}

// isNull reports whether n is null or empty.
func isNull(n *yaml.Node) bool {
	return n.Kind == 0 || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}
