package frontmatter

import (
	"strings"
	"testing"

	"issues-index/store/layout"
)

// joined is the text that a mapping was cut from.
func (m Mapping) joined() string {
	var b strings.Builder
	b.WriteString(m.Head)
	for _, e := range m.Keys {
		b.WriteString(e.Above + e.Lines)
	}
	return b.String() + m.Tail
}

func TestTheLayoutOfAnyDocumentJoinsToItsBytes(t *testing.T) {
	cut := 0
	for _, text := range adversarial {
		for _, file := range withFences(text) {
			p := Parse([]byte(file), "", layout.Default())
			m, fence, err := p.Layout()
			if err != nil {
				continue
			}
			cut++
			if got := m.joined() + fence + p.Body; got != file {
				t.Errorf("%q is cut into %q", file, got)
			}
			for _, e := range m.Keys {
				alone := Parse([]byte("---\n"+e.Lines+"---\n"), "", layout.Default())
				only, _, err := alone.Layout()
				if err != nil || len(only.Keys) != 1 || string(only.Keys[0].Value) != string(e.Value) {
					t.Errorf("the lines of %s, %q, are not its value %s: %v", e.Key, e.Lines, e.Value, err)
				}
				if e.Below != nil && e.Below.joined() != e.Lines {
					t.Errorf("%q is cut into %q", e.Lines, e.Below.joined())
				}
			}
		}
	}
	if cut < 60 {
		t.Errorf("only %d documents could be cut", cut)
	}
}

func TestALayoutIsRefusedWhereLinesAreShared(t *testing.T) {
	for name, yaml := range map[string]string{
		"flow style":   "{id: x, title: y}\n",
		"an alias":     "a: &a x\nb: *a\n",
		"a merge key":  "<<: {a: b}\nid: x\n",
		"a list key":   "? [a, b]\n: x\n",
		"a lone CR":    "a: b\rc: d\n",
		"invalid YAML": "a: b: c\n",
	} {
		t.Run(name, func(t *testing.T) {
			if m, _, err := Parse([]byte("---\n"+yaml+"---\n"), "", layout.Default()).Layout(); err == nil {
				t.Errorf("cut into %+v", m)
			}
		})
	}
}
