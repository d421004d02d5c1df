package layout

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestHashesGrowWithTheWorkspace(t *testing.T) {
	for _, c := range []struct{ documents, length int }{{0, 5}, {600, 5}, {800, 6}, {3_500, 6}, {4_000, 7}, {20_000, 7}, {21_000, 8}, {1 << 62, 12}} {
		if got := HashLength(c.documents); got != c.length {
			t.Errorf("beside %d documents a hash has %d symbols, want %d", c.documents, got, c.length)
		}
	}
}

// A hash is no number and no word, and stays itself when zeros before numbers are passed over.
func TestHashesHaveLettersAndDigitsAndNoVowels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hash, ok := FormatHash(rapid.SliceOfN(rapid.Byte(), 5, 12).Draw(t, "random"))
		letters, digits := strings.ContainsAny(hash, "bcdfghjklmnpqrstvwxyz"), strings.ContainsAny(hash, "123456789")
		if ok != (letters && digits) || strings.ContainsAny(hash, "aeiou0") || IsHash(hash) != ok || IsHash(strings.ToUpper(hash)) != ok {
			t.Errorf("%q, %v", hash, ok)
		}
	})
}

func TestHashesNeedAPrefix(t *testing.T) {
	for text, want := range map[string]string{
		"idScheme: hash":                              "",
		"idScheme: number\nidPattern: '{n}'":          "",
		"idPattern: 'TASK-{n}[.{n}]'\nidScheme: hash": "",
		"idScheme: hash\nidPattern: '{n}'":            File + ":1: invalid idScheme hash: the ids of issue are nothing but a number: give them a prefix in idPattern, as in ISS-{n}",
		"idScheme: uuid":                              File + ":1: invalid idScheme \"uuid\": must be " + allowedScheme,
	} {
		_, err := Parse([]byte(text))
		if got := ""; err != nil && err.Error() != want || err == nil && want != got {
			t.Errorf("%q: %v", text, err)
		}
	}
}
