package tools

import (
	"bytes"
	"log/slog"
	"testing"
)

// What clients do over HTTP is no error of the server.
func TestTheTransportLogsNoErrorsOfClients(t *testing.T) {
	for message, want := range map[string]string{
		"Failed to handle sampling response": "level=DEBUG msg=\"Failed to handle sampling response\"\n",
		"panic in notification forwarder":    "level=ERROR msg=\"panic in notification forwarder\"\n",
	} {
		var lines bytes.Buffer
		options := &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}
		slog.New(transportLog{slog.NewTextHandler(&lines, options)}).Error(message)
		if lines.String() != want {
			t.Errorf("logged %q, want %q", &lines, want)
		}
		lines.Reset()
		options.Level = slog.LevelInfo
		slog.New(transportLog{slog.NewTextHandler(&lines, options)}).Error(message)
		if logged := lines.Len() > 0; logged != (message[:5] == "panic") {
			t.Errorf("without details, %q is logged: %v", message, logged)
		}
	}
}
