package merge

import (
	"bytes"
	"strings"
	"testing"

	"issues-index/store/layout"
)

// FuzzDocuments merges whatever there is: without a panic, one-sided changes byte for
// byte, and by lines alone where a document cannot be taken apart.
func FuzzDocuments(f *testing.F) {
	f.Add([]byte(document), []byte(ourEdits.Replace(document)), []byte(theirEdits.Replace(document)))
	f.Add([]byte(nil), []byte(document), []byte("# A\n"))
	f.Add([]byte("---\na: |+\n  b\n\n\nc: d\n---\n"), []byte("---\na: |\n  b\n\nc: d\n---\n"), []byte("---\na: |+\n  b\n  e\n\n# f\n---\n"))
	f.Add([]byte("- [ ] a\n- [x] b"), []byte("- [x] a\r\n- [ ] b\r\n"), []byte("* [ ] a c\n\n> - [X] b"))
	f.Add([]byte("---\na: b: c\n---\n"), []byte("---\n<<<<<<< x\n"), []byte("\xef\xbb\xbf---\n\x00"))
	f.Add([]byte("---\nwranglerContext:\n  a: 1\n---\n"), []byte("---\nwranglerContext: {a: 2}\n---\n"), []byte("---\nwranglerContext:\n    b: 1\n...\n"))
	f.Add([]byte("---\nlabels: a\n---\n"), []byte("---\nlabels: [b, &x c]\n---\n"), []byte("---\nlabels:\n- a # b\n- c\n---"))
	f.Add([]byte("0"), []byte("\x00\r\n"), []byte("\n"))
	f.Fuzz(func(t *testing.T, base, ours, theirs []byte) {
		m := documents(t, layout.Default(), base, ours, theirs, Labels{})
		if (m.Conflicts > 0) != (len(m.Conflicted) > 0) {
			t.Errorf("%d conflicts in %q", m.Conflicts, m.Conflicted)
		}
		for _, one := range [][]byte{documents(t, layout.Default(), base, ours, base, Labels{}).Data, documents(t, layout.Default(), base, base, ours, Labels{}).Data, documents(t, layout.Default(), base, ours, ours, Labels{}).Data} {
			if !bytes.Equal(one, ours) {
				t.Errorf("a one-sided change to %q became %q", ours, one)
			}
		}
		back := documents(t, layout.Default(), base, theirs, ours, Labels{})
		if (back.Conflicts > 0) != (m.Conflicts > 0) && lineEndsOf(ours) == lineEndsOf(theirs) {
			t.Errorf("%d conflicts, the other way round %d:\n%q\n%q", m.Conflicts, back.Conflicts, m.Data, back.Data)
		}

		_, _, err := parse(string(ours)).Layout()
		if err != nil && !bytes.Equal(base, theirs) && !bytes.Equal(ours, theirs) && !bytes.Equal(base, ours) && len(m.Notes) > 0 {
			ends := lineEndsOf(ours)
			plain := render(byLines(t, ends.in(base), string(ours), ends.in(theirs)), nil, Labels{}.complete(), ends)
			if !bytes.Equal(m.Data, plain.Data) {
				t.Errorf("merged %q, and by lines %q", m.Data, plain.Data)
			}
		}
		// A clean merge of documents that can be read can be read.
		if m.Conflicts == 0 && !strings.Contains(strings.Join(m.Notes, ""), "line by line") {
			for _, data := range [][]byte{base, ours, theirs} {
				if _, _, err := parse(string(data)).Layout(); err != nil {
					return
				}
			}
			if _, _, err := parse(string(m.Data)).Layout(); err != nil {
				t.Errorf("merged to %q: %v", m.Data, err)
			}
		}
	})
}
