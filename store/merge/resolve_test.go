package merge

import (
	"strings"
	"testing"

	"issues-index/store/frontmatter"
	"issues-index/store/layout"
)

func TestResolve(t *testing.T) {
	for name, c := range map[string]struct{ text, want, reason string }{
		"the later time and the labels of both, with the common version": {
			text: "---\ntitle: A\n<<<<<<< HEAD\nstatus: closed\nlabels: [a, b]\nupdatedAt: '2026-01-02T00:00:00.000Z'\n||||||| base\nstatus: open\nlabels: [a]\nupdatedAt: '2026-01-01T00:00:00.000Z'\n=======\nstatus: open\nlabels: [a, c]\nupdatedAt: '2026-01-03T00:00:00.000Z'\n>>>>>>> topic\n---\nText\n",
			want: "---\ntitle: A\nstatus: closed\nlabels: [a, b, c]\nupdatedAt: '2026-01-03T00:00:00.000Z'\n---\nText\n",
		},
		"the later time, without it": {
			text: "---\ntitle: A\n<<<<<<< HEAD\nupdatedAt: '2026-01-02T00:00:00.000Z'\n=======\nupdatedAt: '2026-01-03T00:00:00.000Z'\n>>>>>>> topic\n---\n",
			want: "---\ntitle: A\nupdatedAt: '2026-01-03T00:00:00.000Z'\n---\n",
		},
		"a conflict in the text stays": {
			text: "---\n<<<<<<< a\nupdatedAt: '2026-01-02T00:00:00.000Z'\n=======\nupdatedAt: '2026-01-03T00:00:00.000Z'\n>>>>>>> b\n---\n<<<<<<< a\none\n=======\ntwo\n>>>>>>> b\n",
			want: "---\nupdatedAt: '2026-01-03T00:00:00.000Z'\n---\n<<<<<<< a\none\n=======\ntwo\n>>>>>>> b\n",
		},
		"line ends of Windows are kept": {
			text: "---\r\n<<<<<<< a\r\nupdatedAt: '2026-01-02T00:00:00.000Z'\r\n=======\r\nupdatedAt: '2026-01-03T00:00:00.000Z'\r\n>>>>>>> b\r\n---\r\nx\r\n",
			want: "---\r\nupdatedAt: '2026-01-03T00:00:00.000Z'\r\n---\r\nx\r\n",
		},
		"two statuses stay without the common version: one may have been opened again": {
			text:   "---\n<<<<<<< a\nstatus: open\n=======\nstatus: closed\n>>>>>>> b\n---\n",
			reason: "lines 2-6: the two sides have another status, and without the common version it is unknown which is newer",
		},
		"two titles stay": {
			text:   "---\n<<<<<<< a\ntitle: A\n=======\ntitle: B\n>>>>>>> b\n---\n",
			reason: "lines 2-6: both sides changed title in different ways",
		},
		"what one side alone has stays without the common version": {
			text:   "---\ntitle: A\n<<<<<<< a\n=======\nassignee: ann\n>>>>>>> b\n---\n",
			reason: "lines 3-6: one side has nothing there, and without the common version it is unknown whether the other has added it",
		},
		"a conflict that reaches the text stays": {
			text:   "---\n<<<<<<< a\ntitle: A\n---\nx\n=======\ntitle: B\n---\ny\n>>>>>>> b\n",
			reason: "the conflict in line 2 goes beyond the frontmatter",
		},
		"one around the whole file stays": {
			text:   "<<<<<<< a\n---\ntitle: A\n---\n=======\n>>>>>>> b\n",
			reason: "the conflict goes beyond the frontmatter",
		},
		"markers in another order stay": {
			text:   "---\n=======\ntitle: A\n---\n",
			reason: "line 2: the markers are not those of one conflict after the other",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := Resolve(layout.Default(), []byte(c.text))
			switch {
			case c.reason != "":
				if err == nil || err.Error() != c.reason {
					t.Errorf("%v, want %s", err, c.reason)
				}
			case err != nil || string(m.Data) != c.want:
				t.Errorf("%v\n%s", err, m.Data)
			}
		})
	}
}

// What follows the frontmatter is never changed, whatever the file is.
func FuzzResolve(f *testing.F) {
	f.Add("---\n<<<<<<< a\nstatus: open\n||||||| c\n=======\nstatus: closed\n>>>>>>> b\n---\ntext\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Resolve(layout.Default(), []byte(text))
		if err != nil {
			return
		}
		if block, _, _ := frontmatter.Split(text); !strings.HasSuffix(string(m.Data), text[block.End:]) {
			t.Errorf("%q", m.Data)
		}
		if _, err := Resolve(layout.Default(), m.Data); err == nil {
			t.Error("there is a conflict still")
		}
	})
}
