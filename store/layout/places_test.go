package layout_test

import (
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"issues-index/store/layout"
)

const ownPlaces = `folders:
  issue: [docs/tasks, docs/completed]
  specification: ./docs/specs/
archive: none
idPattern: TASK-{n:3}[.{n:2}]
fileName: "{id:lower} - {title}"
dates: {created: created_date, updated: updated_date, format: yyyy-mm-dd hh:mm}
links: {dependsOn: dependencies, parent: parent_task_id}
descriptionHeading: Description
`

func TestOwnPlaces(t *testing.T) {
	l, err := layout.Parse([]byte(ownPlaces))
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string][]string{"issue": {"docs/tasks", "docs/completed"}, "specification": {"docs/specs"}}; !reflect.DeepEqual(l.Folders, want) {
		t.Errorf("folders %v", l.Folders)
	}
	p := l.IDs["issue"]
	if l.Archive != layout.NoArchive || p.Format(7) != "TASK-007" || p.Child("TASK-007", 1) != "TASK-007.01" || l.IDs["idea"].Format(1) != "IDEA-000001" {
		t.Errorf("%+v", l)
	}
	if l.FileName != (layout.FileName{LowerID: true, Separator: " - ", Title: layout.TitleText}) {
		t.Errorf("file name %+v", l.FileName)
	}
	want := layout.Keys{
		Dates: layout.Dates{Created: "created_date", Updated: "updated_date", DateFormat: "yyyy-mm-dd hh:mm"}, StampUpdates: true,
		Links: layout.Links{DependsOn: "dependencies", Parent: "parent_task_id"}, DescriptionHeading: "Description",
	}
	if l.Keys != want || l.TimeLayout() != "2006-01-02 15:04" {
		t.Errorf("%+v", l.Keys)
	}
}

func TestPatternsReadAsTheyArePrinted(t *testing.T) {
	for _, text := range []string{"TASK-{n}", "T{n}", "{n:4}", "my_task-{n:3}[.{n}]", "A-{n}[_{n:2}]", "a1b{n}"} {
		l, err := layout.Parse([]byte("idPattern: '" + text + "'\n"))
		if err != nil || l.IDs["issue"].String() != text {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"{id}", "{id:lower}", "{id}-{slug}", "{id:lower} - {title}", "{id} {slug}"} {
		l, err := layout.Parse([]byte("fileName: '" + text + "'\n"))
		if err != nil || l.FileName.String() != text {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestWrongPlaces(t *testing.T) {
	for text, want := range map[string]string{
		"folders: docs":                                        "1: invalid folders: must be a block",
		"folders: {}":                                          "1: invalid folders",
		"folders: {task: docs}":                                `1: folders has no "task": it has issue, specification, idea`,
		"folders:\n  issue: a\n  issue: b":                     `3: folders has the key "issue" already defined at line 2`,
		"folders: {issue: ../docs}":                            `1: invalid folder "../docs"`,
		"folders: {issue: a/../b}":                             "1: invalid folder",
		"folders: {issue: a/.GIT/hooks}":                       "1: invalid folder",
		"folders: {issue: /etc}":                               `1: invalid folder "/etc"`,
		`folders: {issue: 'a\b'}`:                              "1: invalid folder",
		`folders: {issue: "a\0b"}`:                             "1: invalid folder",
		"folders: {issue: [a, [b]]}":                           "1: invalid folders",
		"folders: {issue: []}":                                 "a list of up to 20",
		"folders: {issue: a, idea: ./a}":                       "1: the folder a is there twice: for issue and for idea",
		"folders: {issue: &a b, idea: *a}":                     "1: anchors and aliases",
		"archive: a/b":                                         `1: invalid archive "a/b": must be none, or the name of one folder`,
		"archive: ..":                                          "1: invalid archive",
		"archive: [a]":                                         "1: invalid archive",
		"idPattern: TASK":                                      `1: invalid idPattern "TASK"`,
		"idPattern: T1{n}":                                     "1: invalid idPattern",
		"idPattern: T-{n}[-{n}]":                               "1: invalid idPattern",
		"idPattern: ../T-{n}":                                  "1: invalid idPattern",
		"idPattern: {bug: 'A-{n}'}":                            `1: idPattern has no "bug"`,
		"idPattern: {issue: 'A-{n}', idea: 'a-{n}'}":           "1: the ids of issue and idea begin alike",
		"idPattern: SPEC-{n}":                                  "1: the ids of issue and specification begin alike",
		"fileName: {id}":                                       "put quotes around a text",
		"fileName: '{title}'":                                  "1: invalid fileName",
		"fileName: '{id}/{title}'":                             "1: invalid fileName",
		"dates: yyyy":                                          "1: invalid dates",
		"dates: {made: x}":                                     `1: dates has no "made"`,
		"dates: {created: id}":                                 `1: invalid created "id"`,
		"dates: {created: dependencies}":                       "1: invalid created",
		"dates: {created: 'a b'}":                              "1: invalid created",
		"dates: {created: x, updated: x}":                      "two times have the same key",
		"dates: {created: updatedAt}":                          "two times have the same key",
		"dates: {format: dd.mm.yyyy}":                          `1: invalid format "dd.mm.yyyy": must be one of yyyy-mm-dd`,
		"links: {dependsOn: needs}":                            `1: invalid dependsOn "needs": must be one of dependsOn, depends_on`,
		"links: []":                                            "1: invalid links",
		"descriptionHeading: '# x'":                            "1: invalid descriptionHeading",
		"folders: {issue: [" + strings.Repeat("a,", 21) + "]}": "a list of up to 20",
		"folders: {issue: " + strings.Repeat("a", 201) + "}":   "at most 200",
	} {
		l, err := layout.Parse([]byte(text + "\n"))
		var invalid *layout.InvalidError
		if !errors.As(err, &invalid) || l != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q in it", text, err, want)
		}
	}
}

// FuzzPlaces holds that any bytes give folders and names that stay in the workspace, or
// problems.
func FuzzPlaces(f *testing.F) {
	f.Add([]byte(ownPlaces))
	f.Add([]byte("folders: {issue: [., a/b]}\narchive: done\nidPattern: {idea: 'I{n}'}\nfileName: '{id}'\ndates: {closed: done_at}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := layout.Parse(data)
		if err != nil {
			return
		}
		for _, docType := range layout.Types {
			p := l.IDs[docType]
			if id := p.Child(p.Format(1), 2); strings.ContainsAny(id, "/\\ \n\x00") || !strings.HasPrefix(id, p.Prefix) {
				t.Fatalf("%q is an id", id)
			}
			for _, dir := range l.Folders[docType] {
				if !filepath.IsLocal(dir) || slices.Contains(strings.Split(dir, "/"), "..") || strings.ContainsAny(dir, "\n\x00\\") || len(dir) > 200 {
					t.Fatalf("%q is a folder", dir)
				}
			}
		}
		if l.Archive == "" || strings.ContainsAny(l.Archive, "/\\\x00") || l.Created == l.Updated || l.Created == l.Closed || l.Updated == l.Closed {
			t.Fatalf("%+v", l)
		}
	})
}
