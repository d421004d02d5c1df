package repair

import (
	"slices"

	"issues-index/store"
)

// A Kind is what can be done about the problems of one code.
type Kind struct {
	Code store.ProblemCode
	// Rule says which of them are mended and how, "" when none is.
	Rule string
	// Advice says what a person does about the others.
	Advice string
}

// problemPath is a path that could not be looked into.
const problemPath store.ProblemCode = "unreadable-path"

const (
	respell = "A value that differs from a known one in letter case, blanks, - and _ alone gets its spelling."
	setOne  = "Set a known value: issues-index set PATH "

	anotherParent = "Name another parent: issues-index set PATH context.parentTaskId=ID, without an ID for none. A key parent_task_id is corrected in the file."
)

// Kinds are all kinds of problems, those that hide the most first.
var Kinds = []Kind{
	{problemPath, "", "Give yourself the right to read it, mend or remove a link that leads nowhere or out of the workspace, or rename it."},
	{store.ProblemUnreadable, "", "Give yourself the right to read the file."},
	{store.ProblemFileSize, "", "Split the document, or keep what makes it large in another file."},
	{"too-many-words", "", "Split the document, or keep what has so many words, such as a log or a dump, in a file of another kind."},
	{store.ProblemNUL, "", "Remove the NUL bytes, or take the file from git or a backup."},
	{store.ProblemNotUTF8, "", "Save the file as UTF-8."},
	{store.ProblemMergeConflict, "", "Keep one side of the conflict and remove the markers."},
	{store.ProblemUnclosedFence, "", "Put a line with --- alone after the last key."},
	{store.ProblemFrontmatterSize, "", "Move what is long out of the frontmatter into the text."},
	{store.ProblemInvalidYAML, "", "Mend the line in an editor: a value that begins with @ ` * & ! % [ or {, or has a colon and a blank in it, needs quotes."},
	{store.ProblemDuplicateKey, "", "Keep one of the lines with this key."},
	{store.ProblemBadValue, "", "Write a value of the kind that the message names."},
	{store.ProblemUnknownStatus, respell, setOne + "status=open, or in_progress, closed, cancelled."},
	{store.ProblemUnknownPriority, respell, setOne + "priority=low, or medium, high, critical."},
	{store.ProblemUnknownType, respell + " It has to be the type of the folder.", "Correct the key in the file, or remove it: issue, specification or idea. Until then the folder decides."},
	{
		store.ProblemStatusFolder,
		"A closed or cancelled document moves to archived/.",
		"Needs a decision, since status and folder disagree: issues-index set PATH status=closed when it is done, else move the file out of the folder.",
	},
	{
		store.ProblemIDFilename,
		"The file becomes ID-title.md, when its name has no id of its own, nobody else has the id, it is of the kind ISS-000001 or 000001, and no other document mentions the old name.",
		"Rename the file so that its name begins with the id, or correct the id.",
	},
	{duplicateID, "", "Change the id line of all but one of the files: each line below says which, and to which free id. Then correct the parents that mean it. Until then each is named by its path."},
	{"outlying-id", "", "Give the document a lower number, in the name of its file and in its id, and correct the parents that mean it."},
	{"case-twin", "", "Rename one of them."},
	{"dangling-parent", "", anotherParent},
	{"parent-cycle", "", anotherParent},
}

// KindOf is the kind of a code.
func KindOf(code store.ProblemCode) Kind {
	if i := rank(code); i < len(Kinds) {
		return Kinds[i]
	}
	return Kind{Code: code}
}

// rank is the place of a code among the kinds, after all of them for one that
// is not there.
func rank(code store.ProblemCode) int {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Code == code })
	if i < 0 {
		return len(Kinds)
	}
	return i
}
