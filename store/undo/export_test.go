package undo

// Die leaves an entry as the death of its program does.
func (e *Undoable) Die() error {
	if e.dir == nil {
		return nil
	}
	return e.close()
}
