package guard_test

import (
	"testing"

	"issues-index/tools/guard"
)

func TestEstimateIsOnTheSafeSideOfProse(t *testing.T) {
	const prose = "The watcher reports a change, and the next call of any tool sees it.\n"
	if real := tokens(t, prose); guard.Estimate(len(prose)) < real {
		t.Errorf("estimated %d, in truth %d", guard.Estimate(len(prose)), real)
	}
}
