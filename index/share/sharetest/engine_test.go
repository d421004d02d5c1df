package sharetest_test

import (
	"testing"

	"issues-index/index/share"
	"issues-index/index/share/sharetest"
)

func TestTheEngineInMemoryIsOne(t *testing.T) {
	engine := sharetest.NewEngine(nil)
	sharetest.Run(t, func(*testing.T) share.Team { return engine.Connect() })
}
