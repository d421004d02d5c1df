//go:build linux || darwin

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"github.com/creack/pty"
)

func init() { programs["terminal"] = runOnTerminal }

// terminalFile has what the terminal of the last command showed.
const terminalFile = "tty.txt"

// runOnTerminal runs a command with a terminal of its own, on which a file is typed:
//
//	terminal [-stdin] FILE command [argument...]
//
// With -stdin, the terminal is its standard input. What it writes to /dev/tty is in
// terminalFile afterwards. testscript's own ttyin closes the terminal before it has read all
// that was written, when the machine is busy.
func runOnTerminal() {
	code, err := onTerminal(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "terminal:", err)
		code = 125
	}
	os.Exit(code)
}

func onTerminal(args []string) (code int, err error) {
	asInput := len(args) > 0 && args[0] == "-stdin"
	if asInput {
		args = args[1:]
	}
	if len(args) < 2 {
		return 0, errors.New("usage: terminal [-stdin] FILE command [argument...]")
	}
	typed, err := os.ReadFile(args[0])
	if err != nil {
		return 0, err
	}
	control, tty, err := pty.Open()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if asInput {
		cmd.Stdin = tty
	}
	cmd.ExtraFiles = []*os.File{tty}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	if err := tty.Close(); err != nil {
		return 0, err
	}
	const endOfInput = 4
	if _, err := control.Write(append(typed, endOfInput)); err != nil {
		return 0, err
	}
	// Linux ends with EIO when nobody has the terminal open any more.
	shown, err := io.ReadAll(control)
	if err != nil && !errors.Is(err, syscall.EIO) {
		return 0, err
	}
	if err := os.WriteFile(terminalFile, shown, 0o644); err != nil {
		return 0, err
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); errors.As(err, &exit) {
		return exit.ExitCode(), nil
	} else if err != nil {
		return 0, err
	}
	return 0, nil
}
