package nats

import "context"

// CleanNow is Clean for pieces of any age.
func (c *TeamConnection) CleanNow(ctx context.Context) (removed int, err error) {
	return c.clean(ctx, 0)
}
