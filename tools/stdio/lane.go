package stdio

// A lane runs calls, at most so many at once; the others wait in the order in which
// they came. The session's lock guards it.
type lane struct {
	free    int // how many more may run
	waiting []*call
}

// enter reports whether a call may run at once; if not, it waits.
func (l *lane) enter(c *call) bool {
	if l.free == 0 {
		l.waiting = append(l.waiting, c)
		return false
	}
	l.free--
	return true
}

// next takes the call that waits longest, nil when none does.
func (l *lane) next() *call {
	if len(l.waiting) == 0 {
		l.waiting = nil
		l.free++
		return nil
	}
	c := l.waiting[0]
	l.waiting[0] = nil
	l.waiting = l.waiting[1:]
	return c
}
