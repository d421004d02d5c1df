package foreign

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/words"
	"issues-index/store/yamlfile"
)

// rootSettings is Backlog.md's configuration where it does not lie in its folder.
const rootSettings = "backlog.config.yml"

// backlogSettings are those of Backlog.md that say how its tasks are laid out.
type backlogSettings struct {
	Folder     string   `yaml:"backlog_directory"`
	Statuses   []string `yaml:"statuses"`
	Priorities []string `yaml:"priorities"` // the most urgent first
	Prefix     string   `yaml:"task_prefix"`
	Padding    int      `yaml:"zero_padded_ids"`
}

// backlogMD recognises a project of Backlog.md by its folder of tasks.
func backlogMD(ws *store.Workspace) (Tracker, bool) {
	settings, problem := backlogSettings{}.with(ws, rootSettings)
	folders := []string{"backlog", ".backlog"}
	if custom, err := store.CleanPath(settings.Folder); err == nil {
		folders = []string{custom}
	}
	i := slices.IndexFunc(folders, func(dir string) bool { return ws.HasDir(path.Join(dir, "tasks")) })
	if i < 0 {
		return Tracker{}, false
	}
	dir := folders[i]
	tasks, completed := path.Join(dir, "tasks"), path.Join(dir, "completed")
	files := len(markdownFiles(ws, tasks)) + len(markdownFiles(ws, completed))
	t := Tracker{Title: "Backlog.md", Folder: dir, Files: files}
	if settings.Folder == "" && problem == "" {
		settings, problem = settings.with(ws, path.Join(dir, "config.yml"))
	}
	if problem != "" {
		t.Notes = append(t.Notes, problem+": the usual words of Backlog.md are taken")
	}
	keys := func(s backlogSettings) string {
		statuses, guessed := s.statuses()
		if guessed != "" {
			t.Notes = append(t.Notes, guessed)
		}
		return fmt.Sprintf(`folders:
  issue: [%s, %s]
archive: none
idPattern: %s
fileName: "{id:lower} - {title}"
dates: {created: created_date, updated: updated_date, format: yyyy-mm-dd hh:mm}
links: {dependsOn: dependencies, parent: parent_task_id}
descriptionHeading: Description
statuses:
%spriorities: [%s]
`, layout.WriteScalar(tasks), layout.WriteScalar(completed), s.idPattern(), statuses, s.priorities())
	}
	t.Layout = keys(settings)
	if valid(t.Layout, "") == "" {
		t.Notes = []string{"its statuses, priorities or ids are not such as a layout can have: " +
			"the usual ones of Backlog.md are taken; change them in " + layout.File}
		t.Layout = valid(keys(backlogSettings{}), "")
	}
	return t, true
}

// with returns the settings with those of a file, which may be missing; problem says why it
// cannot be read.
func (s backlogSettings) with(ws *store.Workspace, p string) (read backlogSettings, problem string) {
	data, err := ws.ReadFile(p)
	if errors.Is(err, fs.ErrNotExist) {
		return s, ""
	}
	var root *yaml.Node
	if err == nil {
		root, err = yamlfile.Decode(data)
	}
	if err == nil && root != nil {
		err = root.Decode(&s)
	}
	if err != nil {
		return backlogSettings{Folder: s.Folder}, fmt.Sprintf("%s cannot be read (%s)", p, words.OneLine(err.Error()))
	}
	return s, ""
}

func (s backlogSettings) idPattern() string {
	prefix := strings.ToUpper(strings.TrimSpace(s.Prefix))
	if prefix == "" {
		prefix = "TASK"
	}
	pattern := prefix + "-{n}[.{n}]"
	if s.Padding > 1 {
		pattern = fmt.Sprintf("%s-{n:%d}[.{n:2}]", prefix, min(s.Padding, 9))
	}
	return yamlfile.Scalar(pattern, yaml.DoubleQuotedStyle, false)
}

// priorities are the least urgent first, as a layout has them. Backlog.md writes its own words
// in lower case.
func (s backlogSettings) priorities() string {
	list := slices.Clone(s.Priorities)
	slices.Reverse(list)
	if len(list) == 0 {
		list = []string{"low", "medium", "high"}
	}
	for i, name := range list {
		if lower := strings.ToLower(name); slices.Contains([]string{"low", "medium", "high"}, lower) {
			name = lower
		}
		list[i] = layout.WriteScalar(name)
	}
	return strings.Join(list, ", ")
}

// statuses are the rows of a layout. A word that tells nothing means what its place among the
// others does: before the first that is being worked on nothing has begun, and behind it the
// work goes on. guessed says for which that was done, "" for none.
func (s backlogSettings) statuses() (rows, guessed string) {
	names := s.Statuses
	if len(names) == 0 {
		names = []string{"To Do", "In Progress", "Done"}
	}
	list := make([]layout.Status, len(names))
	var unsure []string
	begun := false
	for i, name := range names {
		list[i] = layout.Status{Name: name, Category: layout.CategoryOfWord(name)}
		if list[i].Category == layout.Unknown {
			unsure = append(unsure, name)
			list[i].Category = layout.Open
			if begun {
				list[i].Category = layout.Active
			}
		}
		begun = begun || list[i].Category == layout.Active
	}
	list = complete(list)
	for _, one := range list {
		rows += "  - " + layout.WriteStatuses([]layout.Status{one}) + "\n"
	}
	if len(unsure) > 0 {
		guessed = "look at the categories of the statuses " + strings.Join(unsure, ", ") + " in " + layout.File +
			": they are guessed from the order"
	}
	return rows, guessed
}

// complete gives a list of statuses the categories that a layout must have: the first status
// is the open one, the last one means that the work is done, and one between them, or the
// usual word, stands for work under way.
func complete(list []layout.Status) []layout.Status {
	lacks := func(c layout.Category) bool {
		return !slices.ContainsFunc(list, func(s layout.Status) bool { return s.Category == c })
	}
	last := len(list) - 1
	if lacks(layout.Open) {
		list[0].Category = layout.Open
	}
	if lacks(layout.Done) {
		list[last].Category = layout.Done
	}
	switch middle := len(list) / 2; {
	case !lacks(layout.Active):
	case 0 < middle && middle < last:
		list[middle].Category = layout.Active
	default:
		list = slices.Insert(list, last, layout.Status{Name: "In Progress", Category: layout.Active})
	}
	return list
}
