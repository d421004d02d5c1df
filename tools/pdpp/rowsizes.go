package pdpp

import "sync"

// rowSizes remember how large the rows of a list are, so that a call that names no limit
// asks for about as many as fit. Nothing that an answer says depends on them.
type rowSizes struct {
	mu   sync.Mutex
	mean map[string]int // bytes, by what was asked
}

// maxRowSizes is how many lists are remembered; there are hardly more streams.
const maxRowSizes = 256

// rowBytes is what a row takes, in bytes, where no list was seen yet: most take less.
const rowBytes = 1250

// of is about what a row of a list takes, in bytes, and whether that is known.
func (s *rowSizes) of(list string) (mean int, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if mean = s.mean[list]; mean > 0 {
		return mean, true
	}
	return rowBytes, false
}

// saw keeps what a list of so many rows took.
func (s *rowSizes) saw(list string, bytes, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rows == 0 {
		return
	}
	if s.mean == nil || len(s.mean) >= maxRowSizes {
		s.mean = make(map[string]int)
	}
	s.mean[list] = bytes / rows
}
