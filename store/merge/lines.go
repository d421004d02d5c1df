package merge

// A LineChange replaces the lines of one text from FromStart up to FromEnd by those of
// another from ToStart up to ToEnd, both counted from 0.
type LineChange struct{ FromStart, FromEnd, ToStart, ToEnd int }

// Lines returns what turns the lines of one text into those of another.
func Lines(from, to []string) []LineChange {
	known := make(map[string]rune)
	number := func(lines []string) []rune {
		ids := make([]rune, len(lines))
		for i, line := range lines {
			id, ok := known[line]
			if !ok {
				id = rune(len(known))
				known[line] = id
			}
			ids[i] = id
		}
		return ids
	}
	hunks := changes(number(from), number(to))
	list := make([]LineChange, len(hunks))
	for i, h := range hunks {
		list[i] = LineChange{h.a0, h.a1, h.b0, h.b1}
	}
	return list
}
