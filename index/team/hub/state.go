package hub

import (
	"encoding/json"
	"fmt"
	"time"

	"issues-index/store/cachedir"
)

const (
	// stateName is the file that says how far the mirror has come.
	stateName = "hub.json"
	// maxState is the largest, in bytes: it has no list.
	maxState = 4 << 10
)

// A hubState is how far the mirror has come.
type hubState struct {
	Format  int       `json:"format"`
	Applied uint64    `json:"applied"` // position
	Born    time.Time `json:"born"`    // of the log
	AsOf    time.Time `json:"asOf"`    // when the mirror had everything last, zero for never
}

// stateFormat is the format of the file.
const stateFormat = 1

func readState(dir *cachedir.Dir) (s hubState, err error) {
	data, err := dir.Read(stateName, maxState)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("read %s: %w", stateName, err)
	}
	return s, nil
}

func (s hubState) write(dir *cachedir.Dir) error {
	s.Format = stateFormat
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return dir.Replace(stateName, data)
}
