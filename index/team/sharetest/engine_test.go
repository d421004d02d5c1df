package sharetest_test

import (
	"testing"

	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
)

func TestTheEngineInMemoryIsOne(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	sharetest.Run(t, func(*testing.T) share.Team { return engine.Connect() })
}
