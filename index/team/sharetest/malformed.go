package sharetest

import (
	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// Spoil puts a message that is no version in the place of a document's newest version, as a
// server of an engine can be made to. Nobody reads it as one.
func (e *Engine) Spoil(line mirror.Branch, path string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	delete(e.newest, document{line, path})
	e.malformed[document{line, path}] = e.last
	close(e.moved)
	e.moved = make(chan struct{})
}

// malformedAfter returns what is to be said of the messages after a position that are no versions.
func (e *Engine) malformedAfter(position uint64, of share.BranchSelection) (found []*share.MessageError) {
	for at, stands := range e.malformed {
		if stands > position && selected(of, at.line) {
			found = append(found, &share.MessageError{Branch: at.line, Position: stands, Reason: "its format is not known"})
		}
	}
	return found
}
