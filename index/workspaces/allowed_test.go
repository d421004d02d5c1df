//go:build !windows

package workspaces

import (
	"errors"
	"slices"
	"testing"
)

func TestACallerMayUseSomeWorkspacesOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	inner, apart := w.add("start/inner"), w.add("elsewhere/apart")
	w.named["b"], w.named["c"] = w.add("b"), w.add("c")
	only := func(workspace string, list ...string) Ask { return Ask{Workspace: workspace, Only: list} }

	w.expect(only("", w.start, "b"), "start")
	w.expect(only("b", w.start, "b"), "b")
	w.expect(only(w.named["b"]+"/.wrangler/issues", "b"), "b")
	w.expect(only("b", w.named["b"]), "b")
	w.expect(only("", "b"), "b") // its only one
	w.expect(only("", inner), "inner")
	w.expect(Ask{Name: "b", Only: []string{"b"}}, "b")
	const refused = "is not one that this server may open"
	w.refuses(only("c", "b"), refused)
	w.refuses(only(w.named["c"], "b", w.start), refused)
	w.refuses(only(w.start, "b"), refused)
	w.refuses(only(".", inner), refused)
	w.refuses(Ask{Name: "c", Only: []string{"b"}}, "is not the name of one")
	w.refuses(only("", "b", "c"), "is not one that this caller may use")
	w.refuses(only("", []string{}...), "is not one that this caller may use")
	w.refuses(only("", "nowhere", w.base+"/none"), "is not one that this caller may use")
	w.refuses(only(apart, apart), refused) // which the server does not serve at all
	w.refuses(only("", w.base), "is not one that this caller may use")

	var names *RefusedError
	if _, err := w.titles(only("c", "b")); !errors.As(err, &names) || !names.Limited || len(names.Allowed) != 1 || names.Allowed[0].Name != "b" {
		t.Errorf("a refusal names more than the caller's own: %v, %+v", err, names)
	}
	if names := w.pool.Names([]string{"c", "start"}); !slices.Equal(names, []string{"c"}) {
		t.Errorf("the names are %q", names)
	}
	for i, c := range []struct {
		only []string
		want bool
	}{{nil, true}, {[]string{w.start}, true}, {[]string{"b"}, false}, {[]string{inner}, false}, {[]string{}, false}} {
		if got := w.pool.Permits(c.only); got != c.want {
			t.Errorf("%d: the start workspace for %q: %v", i, c.only, got)
		}
	}
}

func TestANameAloneIsNoPath(t *testing.T) {
	w := newWorld(t, false)
	w.named["other"] = w.add("elsewhere/other")
	w.named["gone"] = w.base + "/nowhere"
	w.add("start/inner")
	w.expect(Ask{Name: "other"}, "other")
	w.refuses(Ask{Name: "gone"}, "where there is no folder")
	for _, path := range []string{"inner", ".", w.named["other"], "file://" + w.start, "~", "other/"} {
		w.refuses(Ask{Name: path}, "is not the name of one")
	}
	if names := w.pool.Names(nil); !slices.Equal(names, []string{"gone", "other"}) {
		t.Errorf("the names are %q", names)
	}

	pinned := newWorld(t, true)
	pinned.named["other"] = pinned.add("elsewhere/other")
	pinned.refuses(Ask{Name: "other"}, "is not the name of one")
	if names := pinned.pool.Names(nil); names != nil {
		t.Errorf("a pinned server names %q", names)
	}
}
