package dashboard

import (
	"time"

	"issues-index/index/team/publish"
)

// A HubHealth is how far a hub has come.
type HubHealth struct {
	Following bool      `json:"following"` // this process keeps the documents, and no other one
	Connected bool      `json:"connected"` // the team's cluster can be reached
	Position  uint64    `json:"position"`
	Behind    uint64    `json:"behind"`            // positions
	AsOf      time.Time `json:"asOf,omitzero"`     // when it had everything last
	Problem   string    `json:"problem,omitempty"` // why it applies nothing
	Unused    int       `json:"unused"`            // published versions that cannot be used
	// UnusedMessages are those, up to 50 of each line, the newest first.
	UnusedMessages []publish.UnusedMessage `json:"unusedMessages,omitempty"`
}

// write adds the state to the metrics.
func (s *HubHealth) write(e *exposition) {
	if s == nil {
		return
	}
	e.gauge("issues_index_hub_connected", "Whether the team's cluster can be reached: 1 or 0.", oneIf(s.Connected))
	e.gauge("issues_index_hub_position", "Position up to which the hub has the published versions.", float64(s.Position))
	e.gauge("issues_index_hub_behind_positions", "Positions by which the hub was behind when it looked last.",
		float64(s.Behind))
	e.gauge("issues_index_hub_unused_versions", "Published versions that the hub cannot use.", float64(s.Unused))
	if !s.AsOf.IsZero() {
		e.gauge("issues_index_hub_as_of_seconds", "Time when the hub had everything last, in seconds since 1970.",
			float64(s.AsOf.Unix()))
	}
}
