package nats

import (
	"context"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
)

// headerIncrement adds to a counter. The acknowledgement has what it has become.
const headerIncrement = "Nats-Incr"

// NextNumber implements share.Team. Whatever an increment makes of the counter is a
// number that no other increment has made.
func (c *TeamConnection) NextNumber(ctx context.Context, workspace, series string, atLeast int) (int, error) {
	number, err := c.count(ctx, numberSubject(workspace, series), 1)
	if err != nil || number >= atLeast {
		return number, err
	}
	return c.count(ctx, numberSubject(workspace, series), atLeast-number)
}

func (c *TeamConnection) count(ctx context.Context, subject string, by int) (number int, err error) {
	err = c.do(ctx, subject, func(ctx context.Context) error {
		header := nats.Header{headerIncrement: {"+" + strconv.Itoa(by)}}
		ack, err := c.js.PublishMsg(ctx, &nats.Msg{Subject: subject, Header: header})
		if err != nil {
			return err
		}
		if number, err = strconv.Atoi(ack.Value); err != nil {
			return fmt.Errorf("the counter %s is %.40q, which is no number for a document: %w", subject, ack.Value, err)
		}
		return nil
	})
	return number, err
}
