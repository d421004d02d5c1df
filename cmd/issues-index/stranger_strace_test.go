//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A systemTrace is what a program and its children asked of the system.
type systemTrace struct {
	process  int // the id of the program
	programs map[int]string
	files    []fileCall
	execs    []execCall
	sockets  []socketCall

	folders map[int]string // the last known working directory of each thread
}

// A fileCall is a system call with a path, whether it succeeded or not.
type fileCall struct {
	program string // base name of the program that made the call
	call    string
	path    string // absolute
	writes  bool   // the call may make, change, rename or remove the file
	failed  bool
}

// An execCall is a program that was started.
type execCall struct {
	by, path string
	args     []string
}

// A socketCall is a bind or a connect.
type socketCall struct{ program, call, family, address string }

// readTrace reads what strace writes with -f -y -o. Every line begins with the id of
// a thread. A call that another thread interrupts is in two lines.
func readTrace(r io.Reader) (*systemTrace, error) {
	t := &systemTrace{programs: map[int]string{}, folders: map[int]string{}}
	begun := make(map[int]string)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		number, line, ok := strings.Cut(lines.Text(), " ")
		pid, err := strconv.Atoi(number)
		if !ok || err != nil {
			return nil, fmt.Errorf("read a trace: no thread id in %q", lines.Text())
		}
		line = strings.TrimLeft(line, " ")
		if rest, ok := strings.CutPrefix(line, "<... "); ok {
			_, rest, _ = strings.Cut(rest, " resumed>")
			line = begun[pid] + rest
			delete(begun, pid)
		}
		if first, ok := strings.CutSuffix(line, " <unfinished ...>"); ok {
			begun[pid] = first
			continue
		}
		// The call that a thread was in when it was let go has arguments and no result.
		if first, ok := strings.CutSuffix(line, " <detached ...>"); ok {
			line = first + ") = ?"
		}
		if strings.HasPrefix(line, "+++") || strings.HasPrefix(line, "---") {
			continue
		}
		name, args, result, err := splitCall(line)
		if err != nil {
			return nil, err
		}
		t.add(pid, name, args, result)
	}
	return t, lines.Err()
}

// splitCall takes a line apart: name(argument, argument) = result.
func splitCall(line string) (name string, args []string, result string, err error) {
	name, rest, ok := strings.Cut(line, "(")
	if !ok || strings.ContainsAny(name, ` "`) {
		return "", nil, "", fmt.Errorf("read a trace: no system call in %q", line)
	}
	depth, start := 0, 0
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '"':
			i += quotedLength(rest[i:]) - 1
		case c == '<' && i > 0 && isWordByte(rest[i-1]): // the path of a descriptor
			if end := strings.IndexByte(rest[i:], '>'); end > 0 {
				i += end
			}
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' && depth == 0:
			if last := strings.TrimSpace(rest[start:i]); last != "" || len(args) > 0 {
				args = append(args, last)
			}
			_, result, _ = strings.Cut(rest[i:], "= ")
			return name, args, result, nil
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			args = append(args, strings.TrimSpace(rest[start:i]))
			start = i + 1
		}
	}
	return "", nil, "", fmt.Errorf("read a trace: no end of the arguments in %q", line)
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// quotedLength is the length of the quoted string that a text begins with.
func quotedLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// escape is what strace writes in place of a byte.
var escape = regexp.MustCompile(`\\(x[0-9a-f]{2}|[0-7]{1,3}|.)`)

var escapedBytes = map[string]byte{"n": '\n', "t": '\t', "r": '\r', "v": '\v', "f": '\f'}

// unescape gives back the bytes of a path as they were.
func unescape(text string) string {
	return escape.ReplaceAllStringFunc(text, func(e string) string {
		code := e[1:]
		if c, ok := escapedBytes[code]; ok {
			return string([]byte{c})
		}
		base := 8
		if code[0] == 'x' && len(code) > 1 {
			code, base = code[1:], 16
		}
		n, err := strconv.ParseUint(code, base, 8)
		if err != nil {
			return code // a quote or a backslash
		}
		return string([]byte{byte(n)})
	})
}

// quotedText is the text of a quoted argument.
func quotedText(arg string) (text string, ok bool) {
	if !strings.HasPrefix(arg, `"`) {
		return "", false
	}
	return unescape(arg[1 : quotedLength(arg)-1]), true
}

// descriptorPath is the path that strace adds to a descriptor: 3</folder>. It is ""
// for descriptors without one, such as sockets.
func descriptorPath(arg string) string {
	_, path, ok := strings.Cut(arg, "<")
	end := strings.LastIndexByte(path, '>')
	if !ok || end < 0 || !strings.HasPrefix(path, "/") {
		return ""
	}
	return unescape(path[:end])
}

// writingCalls change what a path names, whatever their flags.
var writingCalls = regexp.MustCompile(`^(f?chmod|f?chown|lchown|creat|f?truncate|(sym)?link|mkdir|mknod|rename|rmdir|unlink|utime|futimes|l?(set|remove)xattr)`)

// outputs are the calls that return a text in place of their last arguments.
var outputs = map[string]bool{"readlink": true, "readlinkat": true, "getcwd": true, "getxattr": true, "lgetxattr": true, "listxattr": true, "llistxattr": true}

// add keeps what a call says of files, programs and sockets.
func (t *systemTrace) add(pid int, name string, args []string, result string) {
	if t.process == 0 {
		t.process = pid
	}
	switch name {
	case "clone", "clone3", "fork", "vfork":
		if child, err := strconv.Atoi(result); err == nil && t.programs[child] == "" {
			t.programs[child], t.folders[child] = t.programs[pid], t.folders[pid]
		}
		return
	case "bind", "connect":
		t.sockets = append(t.sockets, socketOf(t.programs[pid], name, args))
		return
	}
	failed := strings.HasPrefix(result, "-1 ")
	paths := t.paths(pid, name, args)
	if strings.HasPrefix(name, "execve") && !failed && len(paths) > 0 {
		t.execs = append(t.execs, execCall{by: t.programs[pid], path: paths[0], args: args[1:]})
		t.programs[pid] = filepath.Base(paths[0])
	}
	writes := writingCalls.MatchString(name)
	for _, arg := range args {
		writes = writes || strings.HasPrefix(name, "open") && !strings.HasPrefix(arg, `"`) && openForWriting.MatchString(arg)
	}
	for _, path := range paths {
		t.files = append(t.files, fileCall{t.programs[pid], name, path, writes, failed})
	}
	if name == "chdir" && !failed && len(paths) > 0 {
		t.folders[pid] = paths[0]
	}
}

var openForWriting = regexp.MustCompile(`O_(WRONLY|RDWR|CREAT|TRUNC|TMPFILE)`)

// paths are the absolute paths that a call names. One that is relative is resolved by
// the descriptor before it, else by the working directory.
func (t *systemTrace) paths(pid int, name string, args []string) (list []string) {
	base := t.folders[pid]
	for i, arg := range args {
		if folder := descriptorPath(arg); folder != "" {
			base = folder
			if strings.HasPrefix(arg, "AT_FDCWD") {
				t.folders[pid] = folder
			}
			continue
		}
		text, ok := quotedText(arg)
		switch {
		case !ok || strings.HasPrefix(name, "symlink") && i == 0: // where a link leads is only a text
			continue
		case outputs[name] && len(list) > 0:
			return list
		case !filepath.IsAbs(text):
			text = filepath.Join(base, text)
		}
		list = append(list, filepath.Clean(text))
	}
	return list
}

var socketAddress = regexp.MustCompile(`inet_addr\("([^"]*)"\)|inet_pton\(AF_INET6, "([^"]*)"|sun_path=(@?"[^"]*")`)

func socketOf(program, call string, args []string) socketCall {
	s := socketCall{program: program, call: call}
	if len(args) < 2 {
		return s
	}
	_, family, _ := strings.Cut(args[1], "sa_family=")
	s.family, _, _ = strings.Cut(strings.TrimSuffix(family, "}"), ",")
	for _, found := range socketAddress.FindAllStringSubmatch(args[1], -1) {
		s.address = found[1] + found[2] + found[3]
	}
	return s
}
