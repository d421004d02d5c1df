package tools

import "time"

// A Call is what is known of a call once it is answered, for whoever keeps
// account. It has no argument and nothing of a document in it.
type Call struct {
	Time    time.Time
	Tool    string
	Client  string  // its name and version, "" when it did not say
	Outcome Outcome // of an error: its code
	Failed  bool    // Outcome is an error's code

	Tokens   int // estimated, of the larger channel
	Bytes    int // of the larger channel
	Original int // Bytes, had there been no budget
	Budget   int // tokens that the answer might have cost; 0 for no limit
	Items    int
	Latency  time.Duration
	Variant  string // which settings of an experiment it was answered with

	// Oversized says that the answer would have been larger than its budget without
	// the guard, Over that it was sent so.
	Oversized, Over bool

	// Text returns the larger channel. It is for counting its tokens for real.
	Text func() string
}
