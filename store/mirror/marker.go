package mirror

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A marked is what the marker says.
type marked struct {
	Format int `json:"format"`
	// Manifests changes whenever a manifest does, so that who looks at the marker alone sees
	// that.
	Manifests string `json:"manifests"`
}

// MarkerBytes are those of the marker of a mirror with these manifests, as they were written.
func MarkerBytes(manifests map[Line][]byte) ([]byte, error) {
	sum := sha256.New()
	for _, l := range slices.SortedFunc(maps.Keys(manifests), func(a, b Line) int { return strings.Compare(a.String(), b.String()) }) {
		fmt.Fprintf(sum, "%s %x\n", l, sha256.Sum256(manifests[l]))
	}
	return json.Marshal(marked{Format, hex.EncodeToString(sum.Sum(nil))})
}

// CheckMarker returns why a folder with this marker cannot be read as a mirror, nil when it
// can be.
func CheckMarker(data []byte) error {
	var m marked
	if err := json.Unmarshal(data, &m); err != nil {
		return fmt.Errorf("read %s: %w", Marker, err)
	}
	if m.Format != Format {
		return fmt.Errorf("read %s of format %d: %w", Marker, m.Format, ErrFormat)
	}
	return nil
}
