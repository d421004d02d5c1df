package dashboard

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestHubsAreShown(t *testing.T) {
	var without, with exposition
	Backend{Missing: errors.New("closed")}.notReady().write(&without, "1.0")
	if strings.Contains(without.String(), "_hub_") {
		t.Errorf("without a hub:\n%s", &without)
	}
	report := Backend{Missing: errors.New("closed"), Hub: &HubHealth{Connected: true, Position: 7, Behind: 2, Unused: 1, AsOf: time.Unix(60, 0)}}.notReady()
	report.write(&with, "1.0")
	for _, line := range []string{"issues_index_hub_connected 1\n", "issues_index_hub_position 7\n", "issues_index_hub_behind_positions 2\n", "issues_index_hub_unused_versions 1\n", "issues_index_hub_as_of_seconds 60\n"} {
		if !strings.Contains(with.String(), line) {
			t.Errorf("%q is not in\n%s", line, &with)
		}
	}
	if report.Hub == nil || report.Hub.Behind != 2 {
		t.Errorf("%+v", report.Hub)
	}
}
