package frontmatter

import (
	"slices"
	"testing"

	"issues-index/store/layout"
)

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
			if got := m.String() + fence + p.Body; got != file {
				t.Errorf("%q is cut into %q", file, got)
			}
			for _, e := range m.Keys {
				alone := Parse([]byte("---\n"+e.Lines+"---\n"), "", layout.Default())
				only, _, err := alone.Layout()
				if err != nil || len(only.Keys) != 1 || string(only.Keys[0].Value) != string(e.Value) {
					t.Errorf("the lines of %s, %q, are not its value %s: %v", e.Key, e.Lines, e.Value, err)
				}
				if e.Below != nil && e.Below.String() != e.Lines {
					t.Errorf("%q is cut into %q", e.Lines, e.Below.String())
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

func TestOneKeyOfALayoutIsReplacedOrRemoved(t *testing.T) {
	const document = "---\n# a\na: 1\n# b\nb: 2\n# c\n---\n"
	m, fence, err := Parse([]byte(document), "", layout.Default()).Layout()
	if err != nil {
		t.Fatal(err)
	}
	with := func(key, lines string) string {
		m := m
		m.Keys = slices.Clone(m.Keys)
		m.set(key, lines)
		return m.String()
	}
	for name, c := range map[string]struct{ got, want string }{
		"replaced":         {with("a", "a: 3\n"), "---\n# a\na: 3\n# b\nb: 2\n# c\n"},
		"removed":          {with("a", ""), "---\n# a\n# b\nb: 2\n# c\n"},
		"the last removed": {with("b", ""), "---\n# a\na: 1\n# b\n# c\n"},
		"added":            {with("c", "c: 3\n"), "---\n# a\na: 1\n# b\nb: 2\nc: 3\n# c\n"},
		"not there":        {with("c", ""), "---\n# a\na: 1\n# b\nb: 2\n# c\n"},
		"the old one":      {m.String() + fence, document},
	} {
		t.Run(name, func(t *testing.T) {
			if c.got != c.want {
				t.Errorf("%q, want %q", c.got, c.want)
			}
		})
	}
}
