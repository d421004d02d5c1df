package transport

import "bytes"

// A splitter splits a stream into lines. It keeps at most max bytes, and skips the rest
// of a longer line.
type splitter struct {
	max     int
	line    func([]byte) // called with each line, which it may keep
	tooLong func()       // called once for each line over max

	kept     []byte // the beginning of an incomplete line
	skipping bool
}

// feed takes the next bytes of the stream.
func (s *splitter) feed(data []byte) {
	for len(data) > 0 {
		part, rest, ended := bytes.Cut(data, []byte{'\n'})
		data = rest
		if !s.skipping {
			s.add(part)
		}
		if ended {
			s.end()
		}
	}
}

func (s *splitter) add(part []byte) {
	if len(s.kept)+len(part) > s.max {
		s.kept, s.skipping = nil, true
		s.tooLong()
		return
	}
	s.kept = append(s.kept, part...)
}

// end ends the current line, also at the end of the stream.
func (s *splitter) end() {
	line := s.kept
	s.kept, s.skipping = nil, false
	if len(line) > 0 {
		s.line(line)
	}
}
