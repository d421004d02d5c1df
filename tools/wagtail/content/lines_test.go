package content

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

func TestLinesAreTheTextWithItsLinks(t *testing.T) {
	for name, c := range map[string]struct {
		value string
		want  []string
	}{
		"rich text": {
			`"<h2 data-block-key=\"a\">Who <b>we</b> are</h2><p data-block-key=\"b\">See <a linktype=\"page\" id=\"4\">our   prices</a>,<br/>or <a href=\"/x/?a=1#b\">x</a>.</p><ul><li>snake_case * 2</li></ul><embed embedtype=\"image\" id=\"12\" format=\"left\" alt=\"Night\"/>"`,
			[]string{"Who we are []", "See our prices, [{wagtail:page/4 4}]", "or x. [{/x/?a=1#b 3}]", "snake_case * 2 []", "Night [{wagtail:image/12 0}]"}},
		"blocks": {
			`[{"type": "page", "value": 4, "id": "a"}, {"type": "table", "value": {"data": [["a", "b"], ["c", "d"]]}, "id": "b"}]`,
			[]string{"page/4 [{wagtail:page/4 0}]", "a b []", "c d []"}},
		"a script":    {`"<p>a</p><script>b</script><a href=\"javascript:c\">d</a>"`, []string{"a []", "d []"}},
		"nothing":     {`"<p data-block-key=\"a\"></p>"`, nil},
		"a long line": {`"<p>one two <i>three</i>four</p>"`, []string{"one two threefour []"}},
	} {
		t.Run(name, func(t *testing.T) {
			field, ok := ReadField(json.RawMessage(c.value))
			if !ok {
				t.Fatal("it is no field to read")
			}
			var got []string
			for _, line := range field.Lines() {
				got = append(got, fmt.Sprint(line.Text, " ", line.Links))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("the lines are %q, want %q", got, c.want)
			}
		})
	}
}
