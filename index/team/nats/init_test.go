package nats_test

import (
	"testing"

	"issues-index/index/team/natstest"
)

// Nodes that have just been started have no leader for some seconds, and whoever asks them then
// is never answered.
func TestStreamsAreMadeOnNodesThatStart(t *testing.T) {
	cluster := natstest.New(t, 3)
	for i := range 3 {
		cluster.Restart(i)
	}
	admin := cluster.Connect(natstest.Administrator)
	if err := admin.Init(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	if warnings, err := admin.Check(t.Context()); err != nil || len(warnings) > 0 {
		t.Errorf("%v, %v", warnings, err)
	}
}
