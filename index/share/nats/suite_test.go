package nats_test

import (
	"testing"

	"issues-index/index/share"
	"issues-index/index/share/natstest"
	"issues-index/index/share/sharetest"
)

func TestOneNodeIsAnEngine(t *testing.T) { runSuite(t, 1) }

func TestThreeNodesAreAnEngine(t *testing.T) { runSuite(t, 3) }

func runSuite(t *testing.T, nodes int) {
	t.Helper()
	cluster := natstest.Start(t, nodes)
	sharetest.Run(t, func(*testing.T) share.Team { return cluster.Connect(natstest.Administrator) })
}
