package index

// A packer hands out the records of a build in an order in which their bodies
// fill the pages of the table body: SQLite begins a new page with the first row
// that has no room on the last one. In the order of the files one byte in five
// of those pages is unused.
type packer struct {
	waiting []*record
	left    int // of the page that the next row may go to
}

// packedAtOnce is how many records a packer chooses from. With four times as
// many the pages are half a percent fuller.
const packedAtOnce = 32

// Of SQLite's file format: the size of a page, and how much of one a table's rows
// share; how much of a row may lie in the page itself, how much does at
// least, and how much a page that only goes on with a row takes.
const (
	pageSize     = 4096
	pageRoom     = pageSize - 8
	longestLocal = pageSize - 35
	leastLocal   = (pageSize-12)*32/255 - 23
	overflowRoom = pageSize - 4
)

// roomFor is how many bytes of a table's page the row of a body takes, what goes
// to pages of its own excepted.
func roomFor(body int) int {
	const frame, onward = 7, 4 // around a row; where it goes on
	row := 4 + body            // after a head
	if body >= 8186 {
		row++ // whose last number, twice the length and 12, has three bytes from here on
	}
	if row <= longestLocal {
		return frame + row
	}
	local := leastLocal + (row-leastLocal)%overflowRoom
	if local > longestLocal {
		local = leastLocal
	}
	return frame + local + onward
}

func (p *packer) add(r *record) { p.waiting = append(p.waiting, r) }

// next returns the record whose body fills what is left of the page best, or
// begins a new page with the one that has waited longest. There is one.
func (p *packer) next() *record {
	best, room := 0, 0
	for i, r := range p.waiting {
		if n := roomFor(len(r.text)); n <= p.left && n > room {
			best, room = i, n
		}
	}
	if room == 0 {
		p.left, room = pageRoom, roomFor(len(p.waiting[0].text))
	}
	p.left -= room
	r := p.waiting[best]
	p.waiting = append(p.waiting[:best], p.waiting[best+1:]...)
	return r
}
