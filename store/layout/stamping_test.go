package layout

import "testing"

func TestStampUpdatesIsTrueOrFalse(t *testing.T) {
	for text, want := range map[string]string{
		"{}":                   "true",
		"stampUpdates: true":   "true",
		"stampUpdates: false":  "false",
		"stampUpdates: False":  "false",
		"stampUpdates: 0":      File + ":1: invalid stampUpdates: must be true or false",
		"stampUpdates: 'true'": File + ":1: invalid stampUpdates: must be true or false",
		"stampUpdates:":        File + ":1: invalid stampUpdates: must be true or false",
		"stampUpdates: [true]": File + ":1: invalid stampUpdates: must be true or false",
	} {
		var got string
		l, err := Parse([]byte(text))
		switch {
		case err != nil:
			got = err.Error()
		case l.StampUpdates:
			got = "true"
		default:
			got = "false"
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
