package nats

import "testing"

func TestVersionsOfServersAreCompared(t *testing.T) {
	for version, older := range map[string]bool{"2.15.2": false, "2.15.10": false, "2.16.0": false, "3.0.0": false, "2.15.1": true, "2.9.9": true, "": true, "2.15.2-RC.1": false} {
		if olderThan(version, oldestServer) != older {
			t.Errorf("%q", version)
		}
	}
}
