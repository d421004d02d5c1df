package nats_test

import (
	"testing"

	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
	"issues-index/index/team/sharetest"
)

func TestOneNodeIsAnEngine(t *testing.T) { runSuite(t, 1) }

func TestThreeNodesAreAnEngine(t *testing.T) { runSuite(t, 3) }

func runSuite(t *testing.T, nodes int) {
	t.Helper()
	cluster := natstest.Start(t, nodes)
	sharetest.Run(t, func(*testing.T) share.Team { return cluster.Connect(natstest.Administrator) })
}
