package store

import (
	"errors"
	"strings"
	"testing"
)

func TestNumbersFromOthers(t *testing.T) {
	for name, c := range map[string]struct {
		gives int
		id    string
		noted bool
	}{
		"a higher one is used":        {7, "ISS-000007", false},
		"the next one, too":           {1, "ISS-000001", false},
		"a lower one is not":          {0, "ISS-000001", true},
		"nor one that does not count": {1 + maxIDNumber, "ISS-000001", true},
	} {
		t.Run(name, func(t *testing.T) {
			w := openForeign(t, "", map[string]string{".wrangler/issues/.keep": ""})
			done, err := w.Create(t.Context(), NewDocument{Title: "Rain"}, CreateOptions{Number: func(series string, next int) (int, string, error) {
				if series != TypeIssue || next != 1 {
					t.Errorf("asked for %d of %s", next, series)
				}
				return c.gives, "", nil
			}})
			if err != nil || done.After.ID != c.id || strings.Contains(done.Note, "does not go with") != c.noted {
				t.Errorf("%s, %q, %v", done.After.ID, done.Note, err)
			}
		})
	}
	t.Run("without one nothing is created", func(t *testing.T) {
		w := openForeign(t, "", map[string]string{".wrangler/issues/.keep": ""})
		failed := errors.New("failed")
		_, err := w.Create(t.Context(), NewDocument{Title: "Rain"}, CreateOptions{Number: func(string, int) (int, string, error) { return 0, "", failed }})
		listing, listErr := w.List(t.Context())
		if !errors.Is(err, failed) || listErr != nil || len(listing.Files) != 0 {
			t.Errorf("%v, %v, %+v", err, listErr, listing.Files)
		}
	})
}
