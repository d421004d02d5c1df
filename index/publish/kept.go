package publish

import (
	"context"
	"encoding/json"
	"reflect"
	"time"

	"issues-index/index/sqlfile"
)

// A keptStatus is what other processes can read of a publisher's status.
type keptStatus struct {
	status PublisherStatus
	at     time.Time // by the wall clock, zero for nothing yet
}

// isDue reports whether a status is to be kept of which no more than the essence is known.
func (k keptStatus) isDue(now time.Time, tick time.Duration) bool { return now.Sub(k.at) >= tick }

// essence is what of a status other processes are to know at once. Each publication has another
// position, and each try to connect may fail for another reason: that can wait for a tick.
func (s PublisherStatus) essence() PublisherStatus {
	s.Position, s.Published, s.Reason = 0, time.Time{}, ""
	if !s.Connected && !s.Refused {
		s.LastError = ""
	}
	return s
}

// keepStatus has other processes read the status, at once where its essence has changed. So a
// publication of one document costs no further write.
func (s *duty) keepStatus(ctx context.Context) {
	status, now := s.p.Status(), s.p.wall()
	isSame := reflect.DeepEqual(status, s.kept.status)
	isKnown := reflect.DeepEqual(status.essence(), s.kept.status.essence())
	if isSame || isKnown && !s.kept.isDue(now, s.p.rhythm.tick) {
		return
	}
	if err := s.db.keepStatus(ctx, s.epoch, status, now); err != nil { // the next round tries again
		s.p.Log.Debug("note how the workspace is published", "workspace", s.p.Workspace, "error", err)
		return
	}
	s.kept = keptStatus{status, now}
}

// keepStatus notes what the process that publishes says about itself.
func (d *outbox) keepStatus(ctx context.Context, epoch string, status PublisherStatus, now time.Time) error {
	text, err := json.Marshal(status)
	if err != nil {
		return err
	}
	return d.keeper.Use(ctx, func(f *sqlfile.OpenFile) error {
		_, err := f.ExecContext(ctx, `UPDATE checkout SET status = ?, noted = ? WHERE epoch = ?`, text, now.UnixMilli(), epoch)
		return err
	})
}
