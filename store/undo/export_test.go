package undo

// Die leaves an entry as the death of its program does.
func (e *Undoable) Die() error {
	j := e.journal
	if e.journal = nil; j == nil {
		return nil
	}
	return j.close()
}
