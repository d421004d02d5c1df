package pdpptest

import (
	"bytes"
	"net/http"
	"time"
)

type blob struct {
	kind    string
	content []byte
}

// AddBlob adds a blob of a media type.
func (s *Server) AddBlob(id, mediaType string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blobs[id] = blob{mediaType, content}
}

func (s *Server) blob(a asked) (reply, *refusal) {
	b, ok := s.blobs[a.PathValue("id")]
	if !ok {
		return reply{}, refuse(http.StatusNotFound, "blob_not_found", "Blob not found")
	}
	return reply{content: b.content, kind: b.kind}, nil
}

// ServeRanges has the server give the range of a blob that is asked for, with status
// 206. The recorded one gives the whole to every question.
func (s *Server) ServeRanges() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ranges = true
}

// sendBytes sends a blob, or the range of it that was asked for where there are ranges.
func (s *Server) sendBytes(w http.ResponseWriter, r *http.Request, content []byte) {
	if s.ranges {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		return
	}
	w.Write(content) //nolint:errcheck // whoever asked is gone
}
