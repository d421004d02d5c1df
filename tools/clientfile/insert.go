package clientfile

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// A jsonFile is the text of a file and how it is laid out.
type jsonFile struct {
	text    []byte
	newline string
	unit    string // of indentation
}

// A jsonMember is a member of an object: with a value, or with members of its own.
type jsonMember struct {
	name    string
	value   string
	members []jsonMember
}

// insert puts a member at the end of an object of the file.
func (f *jsonFile) insert(object hujson.Value, m jsonMember) []byte {
	o, ok := object.Value.(*hujson.Object)
	if !ok {
		return f.text // servers returns nothing else
	}
	closing := object.EndOffset - 1
	outer := f.indentation(object.StartOffset)
	if len(o.Members) == 0 {
		// Comments in an empty object stay before the member.
		end := object.StartOffset + 1 + len(bytes.TrimRight(f.text[object.StartOffset+1:closing], " \t\r\n"))
		return f.splice(insertion{end, closing, f.newline + outer + f.unit + f.member(m, outer+f.unit) + f.newline + outer})
	}
	last := o.Members[len(o.Members)-1]
	value := last.Value.EndOffset
	trailing := last.Value.AfterExtra != nil // a comma behind the last member
	first := o.Members[0].Name.StartOffset
	if !bytes.Contains(f.text[object.StartOffset:first], []byte("\n")) { // all on one line
		return f.splice(insertion{value, value, ", " + m.onOneLine()})
	}
	inner := f.indentation(first)
	added := f.newline + inner + f.member(m, inner)
	if trailing {
		comma := value + len(last.Value.AfterExtra) + 1
		line := comma + restOfLine(f.text[comma:closing])
		return f.splice(insertion{line, line, added + ","})
	}
	line := value + restOfLine(f.text[value:closing])
	return f.splice(insertion{value, value, ","}, insertion{line, line, added})
}

// An insertion puts a text in place of the bytes from one offset to another.
type insertion struct {
	from, to int
	text     string
}

func (f *jsonFile) splice(insertions ...insertion) []byte {
	var out bytes.Buffer
	at := 0
	for _, s := range insertions {
		out.Write(f.text[at:s.from])
		out.WriteString(s.text)
		at = s.to
	}
	out.Write(f.text[at:])
	return out.Bytes()
}

// restOfLine is the length of the blanks and comments up to the end of the line: a comment
// behind a value belongs to it.
func restOfLine(extra []byte) int {
	end := 0
	for i := 0; i < len(extra); {
		switch rest := extra[i:]; {
		case rest[0] == '\n' || rest[0] == '\r':
			return end
		case bytes.HasPrefix(rest, []byte("//")):
			line, _, _ := bytes.Cut(rest, []byte("\n"))
			return i + len(bytes.TrimRight(line, "\r"))
		case bytes.HasPrefix(rest, []byte("/*")):
			inside, _, _ := bytes.Cut(rest[2:], []byte("*/"))
			i += len(inside) + 4
			end = i
		default:
			i++
		}
	}
	return end
}

// indentation is the blanks that begin the line of an offset.
func (f *jsonFile) indentation(offset int) string {
	line := f.text[bytes.LastIndexByte(f.text[:offset], '\n')+1 : offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// indentUnit is by how much the members of the top are indented.
func (f *jsonFile) indentUnit(root hujson.Value) string {
	if o, ok := root.Value.(*hujson.Object); ok && len(o.Members) > 0 {
		if unit := f.indentation(o.Members[0].Name.StartOffset); unit != "" {
			return unit
		}
	}
	return "  "
}

// member is the text of a member that stands at an indentation.
func (f *jsonFile) member(m jsonMember, indent string) string {
	if m.members == nil {
		return quoted(m.name) + ": " + m.value
	}
	lines := make([]string, len(m.members))
	for i, inner := range m.members {
		lines[i] = indent + f.unit + f.member(inner, indent+f.unit)
	}
	return quoted(m.name) + ": {" + f.newline + strings.Join(lines, ","+f.newline) + f.newline + indent + "}"
}

// onOneLine is the text of a member in an object that is written on one line.
func (m jsonMember) onOneLine() string {
	if m.members == nil {
		return quoted(m.name) + ": " + m.value
	}
	parts := make([]string, len(m.members))
	for i, inner := range m.members {
		parts[i] = inner.onOneLine()
	}
	return quoted(m.name) + ": {" + strings.Join(parts, ", ") + "}"
}
