package sanitize_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"issues-index/tools/sanitize"
)

// A failer is a test, a property or a fuzz target.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

type judges struct{ ofOurs, ofTheSource *bluemonday.Policy }

var judgesOf = sync.OnceValue(func() map[string]judges {
	m := map[string]judges{}
	for name, a := range allowlists {
		m[name] = judges{a.judge(true), a.judge(false)}
	}
	return m
})

// checkCopies holds what is true of each text under each policy.
func checkCopies(t failer, source string) {
	t.Helper()
	for name, a := range allowlists {
		clean := a.String(source)
		complain := func(what, got string) {
			t.Helper()
			t.Errorf("%s: %s\nof   %q\nis   %q\nand  %q", name, what, source, clean, got)
		}
		if again := a.String(clean); again != clean {
			complain("the second copy differs", again)
		}
		if judged := judgesOf()[name].ofOurs.Sanitize(clean); judged != clean {
			complain("bluemonday would change what we write", judged)
		}
		// bluemonday copies blanks alone without looking at them.
		if strings.TrimSpace(source) != "" && !a.errs(source) {
			if judged := agreed(judgesOf()[name].ofTheSource.Sanitize(source)); agreed(clean) != judged {
				complain("bluemonday would write something else", judged)
			}
		}
		for _, what := range a.strangers(clean) {
			complain("a browser finds", what)
		}
		var slowly strings.Builder
		if err := a.Copy(&slowly, iotest.OneByteReader(strings.NewReader(source))); err != nil || slowly.String() != clean {
			complain("read byte by byte it differs", slowly.String())
		}
	}
}

// strangers says what a browser finds in HTML that is not in the allowlist.
func (a *allowlist) strangers(clean string) (found []string) {
	root, err := html.Parse(strings.NewReader(clean))
	if err != nil {
		return nil // nested too deep for the parser
	}
	for n := range root.Descendants() {
		switch n.Type {
		case html.ElementNode:
			found = append(found, a.strangerIn(n)...)
		case html.TextNode:
		default:
			found = append(found, "a comment or doctype "+n.Data)
		}
	}
	return found
}

func (a *allowlist) strangerIn(n *html.Node) (found []string) {
	own, allowed := a.Elements[n.Data]
	ofTheParser := slices.Contains([]string{"html", "head", "body", "tbody", "tr", "colgroup"}, n.Data)
	if !allowed && !ofTheParser || n.Data == "script" || n.Data == "style" {
		found = append(found, "an element "+n.Data)
	}
	seen := map[string]bool{}
	for _, at := range n.Attr {
		value := own[at.Key]
		if value == nil {
			value = a.Everywhere[at.Key]
		}
		if at.Key == "rel" && a.Unfollowed {
			value = sanitize.Matching("^nofollow noreferrer$")
		}
		if seen[at.Key] || value == nil {
			found = append(found, "an attribute "+at.Key)
		} else if written, ok := value(at.Val); !ok || written != at.Val {
			found = append(found, "a value "+at.Val)
		}
		seen[at.Key] = true
	}
	return found
}

func TestHostilePiecesAreHarmless(t *testing.T) {
	for _, source := range hostile {
		checkCopies(t, source)
		checkCopies(t, "before "+source+" after")
	}
}

func TestHostilePiecesAfterEachOtherAreHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkCopies(t, soup.Draw(t, "html")) })
}

func FuzzCopy(f *testing.F) {
	for _, source := range hostile {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) <= 4096 {
			checkCopies(t, source)
		}
	})
}
