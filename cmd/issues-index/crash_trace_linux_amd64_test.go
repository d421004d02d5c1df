package main

import (
	"errors"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// killedAtStep runs a program and kills it before its n-th step, which is a system call
// that may change a file, locks one, or maps one that processes share. It reports whether
// the program got so far.
func killedAtStep(t *testing.T, program *exec.Cmd, n int) bool {
	t.Helper()
	steps := 0
	trace(t, program, func(call *unix.PtraceRegs) {
		if isStep(call) {
			if steps++; steps == n {
				_ = unix.Kill(program.Process.Pid, unix.SIGKILL)
			}
		}
	})
	return steps >= n
}

// trace runs a program to its end and shows saw each system call of its threads and processes
// twice: at its beginning, where begins says so, and at its end.
func trace(t *testing.T, program *exec.Cmd, saw func(call *unix.PtraceRegs)) {
	t.Helper()
	runtime.LockOSThread() // the thread that starts a program is the one that may trace it
	defer runtime.UnlockOSThread()
	program.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	if err := program.Start(); errors.Is(err, unix.EPERM) {
		t.Skip("programs may not be traced here")
	} else if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = program.Process.Release() }() // it is waited for here
	pid := program.Process.Pid
	await := func(of int) (thread int, status unix.WaitStatus) {
		for {
			thread, err := unix.Wait4(of, &status, unix.WALL, nil)
			if !errors.Is(err, unix.EINTR) {
				if err != nil && !errors.Is(err, unix.ECHILD) {
					t.Fatal(err)
				}
				return thread, status
			}
		}
	}
	await(pid) // for the program's first instruction
	const follow = unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACEEXEC
	if err := unix.PtraceSetOptions(pid, unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_EXITKILL|follow); err != nil {
		t.Fatal(err)
	}
	resume := func(thread int, signal unix.Signal) {
		if err := unix.PtraceSyscall(thread, int(signal)); err != nil && !errors.Is(err, unix.ESRCH) { // it was killed
			t.Fatal(err)
		}
	}
	resume(pid, 0)
	for {
		thread, status := await(-pid)
		if thread <= 0 {
			return
		}
		if !status.Stopped() {
			continue
		}
		pass := unix.Signal(0)
		switch signal := status.StopSignal(); signal {
		case unix.SIGTRAP | 0x80:
			var call unix.PtraceRegs
			if unix.PtraceGetRegs(thread, &call) == nil { // or it was killed
				saw(&call)
			}
		case unix.SIGTRAP, unix.SIGSTOP: // a new thread, process or program
		default:
			pass = signal
		}
		resume(thread, pass)
	}
}

// begins reports whether a call is one that the system has not looked at yet: that is what
// its result says then.
func begins(call *unix.PtraceRegs) bool {
	return int64(call.Rax) == -int64(unix.ENOSYS)
}

// stepCalls are the system calls that are always steps.
var stepCalls = []uint64{
	unix.SYS_PWRITE64, unix.SYS_WRITEV, unix.SYS_PWRITEV, unix.SYS_FTRUNCATE, unix.SYS_TRUNCATE, unix.SYS_FALLOCATE,
	unix.SYS_UNLINK, unix.SYS_UNLINKAT, unix.SYS_RENAME, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_LINK, unix.SYS_LINKAT,
	unix.SYS_MKDIR, unix.SYS_MKDIRAT, unix.SYS_CHMOD, unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_UTIMENSAT,
	unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_FLOCK,
}

// isStep reports whether a call is the beginning of a step.
func isStep(call *unix.PtraceRegs) bool {
	if !begins(call) {
		return false
	}
	switch call.Orig_rax {
	case unix.SYS_OPEN:
		return call.Rsi&unix.O_CREAT != 0
	case unix.SYS_OPENAT:
		return call.Rdx&unix.O_CREAT != 0
	case unix.SYS_WRITE:
		return call.Rdi > 2
	case unix.SYS_FCNTL:
		return call.Rsi == unix.F_SETLK || call.Rsi == unix.F_SETLKW
	case unix.SYS_MMAP:
		return call.R10&unix.MAP_SHARED != 0
	default:
		return slices.Contains(stepCalls, call.Orig_rax)
	}
}
