package layout_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/store/layout"
)

// TestWrittenLayoutsAreReadAgain holds that any layout is the same after it was written and
// read, and that one that says nothing has nothing to write.
func TestWrittenLayoutsAreReadAgain(t *testing.T) {
	if data, err := layout.Default().Write(); err != nil || string(data) != "{}" {
		t.Errorf("the default layout is written as %s, %v", data, err)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := drawLayout(t)
		l, err := layout.Parse([]byte(text))
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		data, err := l.Write()
		if err != nil {
			t.Fatal(err)
		}
		again, err := layout.Parse(data)
		if err != nil || !reflect.DeepEqual(l, again) {
			t.Fatalf("%s\nwas written as %s\nand read as %+v, %v", text, data, again, err)
		}
		if strings.Contains(string(data), "secret") {
			t.Fatalf("another key was written: %s", data)
		}
	})
}

// drawLayout draws some keys of a configuration file, with one of the program's own.
func drawLayout(t *rapid.T) string {
	keys := []string{
		"statuses: [{name: \"a \\\\ 'b' \U0001F600\", category: open}, {name: <Läuft>, category: active}, {name: done & over, category: done}]",
		"priorities: [low, 'no', '3']",
		"folders: {issue: [docs/tasks, docs/done], idea: .}",
		"archive: " + rapid.SampledFrom([]string{"none", "done", "archived"}).Draw(t, "archive"),
		"idPattern: " + rapid.SampledFrom([]string{"TASK-{n}", "'TASK-{n:3}[.{n:2}]'", "{issue: 'A-{n}', idea: 'B{n:2}'}"}).Draw(t, "pattern"),
		"idScheme: hash",
		"fileName: '{id:lower} - {title}'",
		"dates: {created: created_date, updated: changed, format: yyyy-mm-dd}",
		"stampUpdates: false",
		"links: {dependsOn: blockedBy, parent: parent}",
		`descriptionHeading: 'What: "it" is'`,
		"statuses: [{name: open, category: open}, {name: in_progress, category: active}, {name: closed, category: done}, {name: cancelled, category: cancelled}]",
	}
	chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(keys), 0, len(keys), func(key string) string {
		name, _, _ := strings.Cut(key, ":")
		return name
	}).Draw(t, "keys")
	slices.Sort(chosen)
	return fmt.Sprintf("token: secret\n%s\n", strings.Join(chosen, "\n"))
}
