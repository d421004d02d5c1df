package repair

import (
	"slices"
	"strings"
	"unicode"

	"issues-index/store"
	"issues-index/store/frontmatter"
	"issues-index/store/layout"
)

// A ProblemKind says what can be done about the problems of one code.
type ProblemKind struct {
	Code store.ProblemCode
	// Rule says which of them Fix fixes and how, "" when it fixes none.
	Rule string
	// Advice tells a person what to do about the others. In Kinds it has {statuses},
	// {priorities} and {done} for the words of the workspace.
	Advice string
}

// problemPath is the code of a path that could not be read.
const problemPath store.ProblemCode = "unreadable-path"

// problemUnfinished is the code of a repair that a crash has interrupted.
const problemUnfinished store.ProblemCode = "unfinished-repair"

const (
	respell = "A value that differs from a known one only in letter case, blanks, - and _ gets its spelling."
	setOne  = "Set a known value: issues-index set PATH "

	anotherParent = "Name another parent: issues-index set PATH context.parentTaskId=ID; an empty value means " +
		"no parent. Correct a key parent_task_id in the file."
)

// Kinds lists all kinds of problems. Those that hide the most other problems come first.
var Kinds = []ProblemKind{
	{
		problemPath, "",
		"Give yourself the right to read it, repair or remove a link that leads nowhere or out of " +
			"the workspace, or rename it.",
	},
	{problemUnfinished, "", "Finish it: issues-index check --fix duplicate-id."},
	{
		problemViews, "",
		"Correct the line in an editor. Until then the views of the file may not work; those that " +
			"are built in do.",
	},
	{frontmatter.ProblemUnreadable, "", "Give yourself the right to read the file."},
	{frontmatter.ProblemFileSize, "", "Split the document, or keep what makes it large in another file."},
	{
		"too-many-words", "",
		"Split the document, or keep what has so many words, such as a log or a dump, in a file " +
			"of another kind.",
	},
	{"too-many-values", "", "Move long lists from the frontmatter to the text."},
	{"too-many-links", "", "Split the document, or keep its links in a file of another kind."},
	{frontmatter.ProblemNUL, "", "Remove the NUL bytes, or take the file from git or a backup."},
	{frontmatter.ProblemNotUTF8, "", "Save the file as UTF-8."},
	{
		frontmatter.ProblemMergeConflict,
		"A conflict in the frontmatter alone is merged key by key, as the merge driver does, if no " +
			"key of it has to stay between markers. The text keeps its markers.",
		"Keep one side of the conflict and remove the markers.",
	},
	{
		frontmatter.ProblemTextConflict, "",
		"Make one text of the two sides in an editor, and remove the lines with the markers.",
	},
	{frontmatter.ProblemUnclosedFence, "", "Add a line with only --- after the last key."},
	{frontmatter.ProblemFrontmatterSize, "", "Move long values from the frontmatter to the text."},
	{
		frontmatter.ProblemInvalidYAML, "",
		"Correct the line in an editor: a value that begins with @ ` * & ! % [ or {, or that has " +
			"a colon followed by a blank, needs quotes.",
	},
	{frontmatter.ProblemDuplicateKey, "", "Keep one of the lines with this key."},
	{frontmatter.ProblemBadValue, "", "Write a value of the type that the message names."},
	{frontmatter.ProblemUnknownStatus, respell, setOne + "status={statuses}."},
	{frontmatter.ProblemUnknownPriority, respell, setOne + "priority={priorities}."},
	{
		frontmatter.ProblemUnknownType, respell + " It has to be the type of the folder.",
		"Correct the key in the file, or remove it: issue, specification or idea. Until then the " +
			"folder decides.",
	},
	{
		frontmatter.ProblemStatusFolder,
		"A closed or cancelled document moves to archived/.",
		"Decide, since status and folder disagree: issues-index set PATH status={done} when it is " +
			"done, else move the file out of the folder.",
	},
	{
		frontmatter.ProblemIDFilename,
		"The file becomes ID-title.md, when its name has no id, no other document has the id, the id " +
			"looks like ISS-000001 or 000001, and no other document mentions the old name.",
		"Rename the file so that its name begins with the id, or correct the id.",
	},
	{
		DuplicateID, "",
		"issues-index check --fix duplicate-id --dry-run shows how each gets an id of its own. " +
			"Until then, name each document by its path.",
	},
	{
		publishConflict, "",
		"Find the other machine (issues-index cluster status names who is present) and have one " +
			"of the two publish: with team.publish off, or under another name. Then it is published " +
			"again within the hour, or at once by issues-index publish --once where no server runs.",
	},
	{
		notPublished, "",
		"Do away with the reason: it is published by itself then. A file has to be readable and " +
			"no larger than the message says. Credentials that may publish a workspace are made by " +
			"issues-index cluster add; team.credentials names their file. issues-index health says " +
			"more.",
	},
	{"case-twin", "", "Rename one of them."},
	{"dangling-parent", "", anotherParent},
	{"parent-cycle", "", anotherParent},
	{
		"dependency-cycle", "",
		"Remove one of the links in a file: an id below dependsOn, or below another key for what " +
			"a document waits for. Or name another parent.",
	},
	{
		"dangling-dependency", "",
		"Create the document, correct the id in the file, or remove the link: issues-index dep rm " +
			"PATH ID.",
	},
	{
		"ambiguous-dependency", "",
		"Write the whole id of the document that is meant, or the name of its file, in place of " +
			"this one. Or remove the link: issues-index dep rm PATH ID.",
	},
	{
		hiddenText, "",
		"A hint, no problem: LC_ALL=C grep -n '[^ -~]' PATH finds them. Remove them unless you " +
			"know what they are for. Titles and other fields are shown without them, but an agent " +
			"that reads the text gets them.",
	},
	{
		closedByCommit, "",
		"A hint, no problem: close the document when the work is done, with issues-index done " +
			"PATH.",
	},
	{
		"broken-link", "",
		"A hint, no problem: correct the path, or write the id of the document that is meant. " +
			"issues-index sql \"SELECT * FROM broken_links\" lists those of all kinds.",
	},
	{
		closedWithBoxes, "",
		"A hint, no problem: check the boxes that are done, or reopen the document. issues-index " +
			"list --status {done} --boxes open lists them all.",
	},
}

// KindOf returns the kind of a code with its advice in the words of a workspace, one without
// rule and advice for an unknown code.
func KindOf(code store.ProblemCode, workspace *layout.Layout) ProblemKind {
	i := rank(code)
	if i == len(Kinds) {
		return ProblemKind{Code: code}
	}
	kind := Kinds[i]
	kind.Advice = strings.NewReplacer(
		"{statuses}", anyOf(workspace.StatusNames()), "{priorities}", anyOf(workspace.Priorities),
		"{done}", argument(workspace.First(layout.Done)),
	).Replace(kind.Advice)
	return kind
}

// anyOf names the values that an argument may have: open, or closed, cancelled.
func anyOf(values []string) string {
	first, rest := argument(values[0]), strings.Join(values[1:], ", ")
	if rest == "" {
		return first
	}
	return first + ", or " + rest
}

// argument is a value as a shell takes it.
func argument(value string) string {
	needsQuotes := func(c rune) bool { return c != '_' && c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	if strings.ContainsFunc(value, needsQuotes) {
		return `"` + value + `"`
	}
	return value
}

// rank returns the position of a code in Kinds, len(Kinds) for an unknown code.
func rank(code store.ProblemCode) int {
	i := slices.IndexFunc(Kinds, func(k ProblemKind) bool { return k.Code == code })
	if i < 0 {
		return len(Kinds)
	}
	return i
}
