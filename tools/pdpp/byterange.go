package pdpp

import (
	"fmt"
	"strconv"
	"strings"

	"issues-index/store/pattern"
	"issues-index/tools"
)

// codeBehindEnd is the error of a range that begins where a blob has ended.
const codeBehindEnd tools.Code = "range_not_satisfiable"

// A byteRange is the part of a blob that is asked for.
type byteRange struct {
	first int
	last  int // -1 for all that follows
}

var rangeForm = pattern.Lazy(`^bytes=(\d{1,15})-(\d{1,15})?$`)

// readRange reads the range of a call, nil when it has none.
func readRange(args *tools.Args) *byteRange {
	asked := strings.ReplaceAll(args.String("range"), " ", "")
	if asked == "" {
		return nil
	}
	wrong := func(why string) *byteRange {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid range %s%s.", quote(asked), why).On("range").
			Try("Pass it as bytes=FIRST-LAST or bytes=FIRST-, e.g. bytes=0-4095."))
		return nil
	}
	found := rangeForm().FindStringSubmatch(asked)
	if found == nil {
		return wrong("")
	}
	part := &byteRange{last: -1}
	part.first, _ = strconv.Atoi(found[1]) // at most 15 digits
	if found[2] == "" {
		return part
	}
	if part.last, _ = strconv.Atoi(found[2]); part.last < part.first {
		return wrong(": its end is before its beginning")
	}
	return part
}

// String is the range as the header has it.
func (r *byteRange) String() string {
	if r.last < 0 {
		return fmt.Sprintf("bytes=%d-", r.first)
	}
	return fmt.Sprintf("bytes=%d-%d", r.first, r.last)
}

// of cuts the part out of the whole of a blob.
func (r *byteRange) of(whole []byte) ([]byte, error) {
	if r.first >= len(whole) && r.first > 0 {
		return nil, tools.Errorf(codeBehindEnd, "The range begins at byte %d, and the blob has %d bytes.", r.first, len(whole)).On("range").
			Try("Pass a range that begins before byte %d, e.g. bytes=0-4095.", len(whole))
	}
	end := len(whole)
	if r.last >= 0 {
		end = min(end, r.last+1)
	}
	return whole[r.first:end], nil
}
