package index

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"issues-index/index/db"
	"issues-index/index/where"
	"issues-index/store"
	"issues-index/store/frontmatter"
)

// What is kept of a document's frontmatter in the table field. Without these bounds,
// aliases make millions of values of a few kilobytes.
const (
	maxValues   = 1000
	maxKeyDepth = 4
	maxKey      = 200 // bytes
	maxTime     = 64  // bytes of the longest form of a time
)

// problemManyValues is a problem of one file that shows only when it is indexed.
const problemManyValues store.ProblemCode = "too-many-values"

var tooManyValues = store.Problem{Code: problemManyValues, Message: fmt.Sprintf(
	"its frontmatter has more than %d values: queries by field do not find it by the others", maxValues)}

// A keyedValue is one row of the table field.
type keyedValue struct {
	key    string
	item   int
	text   string
	number any // nil for none, as is time
	time   any
}

// keyedValues are the values of a document's frontmatter that have no column; more
// says that these are not all.
func keyedValues(d *store.Document) (values []keyedValue, more bool) {
	v := valueReader{items: map[string]int{}}
	if d.Extra != nil {
		v.read(json.NewDecoder(bytes.NewReader(d.Extra)), "", 0)
	}
	if d.Context != nil {
		v.read(json.NewDecoder(bytes.NewReader(d.Context)), "wranglerContext", 1)
	}
	return v.values, v.full
}

// A valueReader takes values out of JSON that the store has written.
type valueReader struct {
	values []keyedValue
	items  map[string]int // how many of a key there are already
	full   bool           // no more are taken
}

// read takes the next value under a key.
func (v *valueReader) read(d *json.Decoder, key string, depth int) {
	d.UseNumber()
	token, err := d.Token()
	if err != nil {
		return // what the store has written is whole
	}
	switch token := token.(type) {
	case json.Delim:
		for d.More() && !v.full {
			if token == '[' {
				v.read(d, key, depth)
				continue
			}
			name, err := d.Token()
			if err != nil {
				return
			}
			within := fmt.Sprint(name)
			if depth > 0 {
				within = key + "." + within
			}
			if depth >= maxKeyDepth || len(within) > maxKey || depth > 0 && key == "" {
				within = "" // nor has anything below it a key
			}
			v.read(d, within, depth+1)
		}
		_, _ = d.Token() // the closing bracket
	case nil:
	default:
		v.add(key, fmt.Sprint(token))
	}
}

func (v *valueReader) add(key, text string) {
	text = frontmatter.OneLine(text)
	if key == "" || text == "" {
		return
	}
	if v.full = len(v.values) == maxValues; v.full {
		return
	}
	one := keyedValue{key: key, item: v.items[key], text: text}
	v.items[key]++
	if n, ok := where.Number(text); ok {
		one.number = n
	} else if len(text) <= maxTime && strings.ContainsAny(text, "0123456789") {
		if t, ok := frontmatter.ParseTime(text); ok {
			one.time = t.UnixMilli()
		}
	}
	v.values = append(v.values, one)
}

// FieldKeys returns the keys of the frontmatter that any document has and no column
// stands for, in order: those by which criteria can ask besides the built-in fields.
func (ix *Index) FieldKeys(ctx context.Context) (keys []string, err error) {
	err = ix.view(ctx, func(tx *db.Snapshot) (err error) {
		keys, err = fieldKeys(ctx, tx)
		return err
	})
	return keys, err
}

// fieldKeys goes from each key to the next: there are few of them, and many rows of each.
func fieldKeys(ctx context.Context, tx *db.Snapshot) ([]string, error) {
	return readRows[string](ctx, tx, "keys", `WITH RECURSIVE k (key) AS (SELECT min(key) FROM field
			UNION ALL SELECT (SELECT min(key) FROM field WHERE key > k.key) FROM k WHERE k.key IS NOT NULL)
			SELECT key FROM k WHERE key IS NOT NULL`)
}

// valueKind is what all values of a key are.
func valueKind(ctx context.Context, tx *db.Snapshot, key string) (where.ValueKind, error) {
	var numbers, times bool
	err := tx.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT 1 FROM field WHERE key = ?1 AND number IS NULL),
		NOT EXISTS (SELECT 1 FROM field WHERE key = ?1 AND time IS NULL)`, key).
		Scan(&numbers, &times)
	switch {
	case err != nil:
		return where.TextKind, fmt.Errorf("read the values of a key: %w", err)
	case numbers:
		return where.NumberKind, nil
	case times:
		return where.TimeKind, nil
	}
	return where.TextKind, nil
}

// addFields writes the rows of a document's other keys, whose old ones are gone.
func (c *rowWriter) addFields(ctx context.Context, doc int64, r *record) {
	for _, v := range r.fields {
		c.exec(ctx, `INSERT INTO field VALUES (?, ?, ?, ?, ?, ?)`, v.key, doc, v.item, v.text, v.number, v.time)
	}
	if r.moreFields {
		c.addProblem(ctx, doc, tooManyValues)
	}
}
