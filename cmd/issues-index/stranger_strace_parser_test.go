//go:build linux

package main

import (
	"reflect"
	"strings"
	"testing"
)

func TestReadTrace(t *testing.T) {
	const opened = `7 execve("/bin/app", ["app", "a \"b\", c"], 0x7ffd /* 3 vars */) = 0` + "\n"
	for name, c := range map[string]struct {
		lines string
		want  []fileCall
	}{
		"a path relative to a descriptor": {
			`7 openat(5</w/.wrangler>, "cache", O_RDONLY|O_CLOEXEC) = 6</w/.wrangler/cache>`,
			[]fileCall{{"app", "openat", "/w/.wrangler/cache", false, false}},
		},
		"a path relative to the working directory": {
			`7 newfstatat(AT_FDCWD</w>, ".env", 0xbbfee695218, 0) = -1 ENOENT (No such file or directory)` + "\n" + `7 access("README.md", R_OK) = 0`,
			[]fileCall{{"app", "newfstatat", "/w/.env", false, true}, {"app", "access", "/w/README.md", false, false}},
		},
		"an absolute path beside a descriptor": {
			`7 openat(AT_FDCWD</w>, "/x/../y", O_RDONLY|O_CREAT, 0600) = 6</y>`,
			[]fileCall{{"app", "openat", "/y", true, false}},
		},
		"the path of a descriptor itself": {
			`7 newfstatat(3</w/f>, "", {st_mode=S_IFREG|0644, st_size=72, ...}, AT_EMPTY_PATH) = 0`,
			[]fileCall{{"app", "newfstatat", "/w/f", false, false}},
		},
		"two paths": {
			`7 renameat2(3</w>, "a", 4</w/d>, "b", RENAME_NOREPLACE) = 0`,
			[]fileCall{{"app", "renameat2", "/w/a", true, false}, {"app", "renameat2", "/w/d/b", true, false}},
		},
		"a link, whose target is no path that is opened": {
			`7 symlinkat("../x", 3</w>, "l") = 0` + "\n" + `7 readlinkat(3</w>, "l", "../x", 128) = 4`,
			[]fileCall{{"app", "symlinkat", "/w/l", true, false}, {"app", "readlinkat", "/w/l", false, false}},
		},
		"quotes, commas, brackets and bytes in a name": {
			`7 unlinkat(3</w/\74a\76>, "q\"),{[(\\\33[2J\n\303\251\0011\x41", 0) = 0`,
			[]fileCall{{"app", "unlinkat", "/w/<a>/q\"),{[(\\\x1b[2J\né\x011A", true, false}},
		},
		"calls that other threads interrupt": {
			`7 openat(AT_FDCWD</w>, "a",  <unfinished ...>` + "\n" + `8 mkdirat(3</w>, "b", 0777 <unfinished ...>` + "\n" +
				`7 <... openat resumed>O_RDWR) = 4</w/a>` + "\n" + `8 <... mkdirat resumed>) = -1 EEXIST (File exists)`,
			[]fileCall{{"app", "openat", "/w/a", true, false}, {"", "mkdirat", "/w/b", true, true}},
		},
		"calls that threads are in when the program ends": {
			`7 openat(AT_FDCWD</w>, "a", O_RDWR <detached ...>` + "\n" + `8 exit_group(0 <detached ...>`,
			[]fileCall{{"app", "openat", "/w/a", true, false}},
		},
		"a watch, whose descriptor has no path": {
			`7 inotify_add_watch(9<anon_inode:inotify>, "/w/d", IN_CREATE|IN_DELETE) = 1`,
			[]fileCall{{"app", "inotify_add_watch", "/w/d", false, false}},
		},
		"a folder that is gone": {
			`7 openat(3</w/old>(deleted), "x", O_RDONLY) = -1 ENOENT (No such file or directory)`,
			[]fileCall{{"app", "openat", "/w/old/x", false, true}},
		},
		"signals, ends and pointers": {
			"7 --- SIGURG {si_signo=SIGURG, si_code=SI_TKILL} ---\n7 stat(0xc000, NULL) = -1 EFAULT (Bad address)\n7 exit_group(0) = ?\n7 +++ exited with 0 +++",
			nil,
		},
		"a child, which is the same program until it starts another": {
			"7 clone(child_stack=NULL, flags=CLONE_VM|SIGCHLD) = 9\n" + `9 chdir("/w") = 0` + "\n" +
				`9 execve("/usr/bin/git", ["git", "status"], 0xc0 /* 2 vars */) = 0` + "\n" + `9 openat(AT_FDCWD</w>, "HEAD", O_RDONLY) = 3</w/HEAD>`,
			[]fileCall{{"app", "chdir", "/w", false, false}, {"git", "execve", "/usr/bin/git", false, false}, {"git", "openat", "/w/HEAD", false, false}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			trace, err := readTrace(strings.NewReader(opened + c.lines + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			if got := trace.files[1:]; len(got)+len(c.want) > 0 && !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}

	t.Run("programs and sockets", func(t *testing.T) {
		trace, err := readTrace(strings.NewReader(opened +
			`7 execve("/bin/none", ["none"], 0xc0 /* 2 vars */) = -1 ENOENT (No such file or directory)` + "\n" +
			`7 bind(3<socket:[1]>, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("0.0.0.0")}, 16) = 0` + "\n" +
			`7 connect(3<socket:[1]>, {sa_family=AF_INET6, sin6_port=htons(1), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "::1", &sin6_addr), sin6_scope_id=0}, 28) = 0` + "\n" +
			`7 connect(3<socket:[1]>, {sa_family=AF_UNIX, sun_path="/run/nscd"}, 110) = -1 ENOENT (No such file or directory)` + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if len(trace.execs) != 1 || trace.execs[0].path != "/bin/app" {
			t.Errorf("programs %+v", trace.execs)
		}
		want := []socketCall{{"app", "bind", "AF_INET", "0.0.0.0"}, {"app", "connect", "AF_INET6", "::1"}, {"app", "connect", "AF_UNIX", `"/run/nscd"`}}
		if !reflect.DeepEqual(trace.sockets, want) {
			t.Errorf("got  %+v\nwant %+v", trace.sockets, want)
		}
	})

	t.Run("what is no trace is refused", func(t *testing.T) {
		for _, line := range []string{"open(", "7 open", `7 open("a`, "strace: out of memory"} {
			if _, err := readTrace(strings.NewReader(line + "\n")); err == nil {
				t.Errorf("%q is taken", line)
			}
		}
	})
}
