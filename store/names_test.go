package store

import (
	"errors"
	"strings"
	"testing"

	"issues-index/store/words"
)

// Signs before all names change a list, and no name with a sign comes into it.
func TestNameChange(t *testing.T) {
	for _, c := range []struct{ list, set, add, remove, want, advice string }{
		{list: "a,b", set: "c", want: "c"},
		{list: "a,b", set: "+c,-a", want: "b,c"},
		{list: "a,b", set: "+c,+a", add: "d", remove: "b", want: "a,c,d"},
		{list: "a,b", set: "++c", want: "a,b,c"},
		{list: "a,b", add: "+c", remove: "-a", want: "b,c"},
		{list: "a,a", add: "a", want: "a,a"},
		{list: "+1,-x,x", set: "+1,b", want: "+1,b"},
		{list: "+1,-x,x", set: "-x", want: "+1,-x"},
		{list: "+1,-x,x", remove: "-x,+1", want: "x"},
		{list: "+1", add: "+1,+2", want: "+1,2"},
		{list: "a", set: "+c,d,-a", advice: "write +c,+d,-a to change the list, c,d to replace it"},
		{list: "a", set: "+", advice: "no other sign"},
		{list: "a", set: "+-c", advice: "no other sign"},
		{list: "a", add: "-c", advice: "no other sign"},
	} {
		list, set := words.List(c.list), words.List(c.set)
		if c.list == "a,a" {
			list = []string{"a", "a"}
		}
		change := NameChange{Add: words.List(c.add), Remove: words.List(c.remove)}
		if c.set != "" {
			change.Set = &set
		}
		signed, err := change.Signed("labels", list)
		if c.advice != "" {
			if wrong := (*ValueError)(nil); !errors.As(err, &wrong) || !strings.HasSuffix(wrong.Advice, c.advice) {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		if got := strings.Join(signed.On(list), ","); err != nil || got != c.want {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}
