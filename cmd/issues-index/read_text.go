package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"issues-index/store"
)

// readText reads the text that a file has for a document, or standard input for -. A byte
// order mark before it is no part of it.
func readText(file string) (string, error) {
	text, err := readFile(file)
	return strings.TrimPrefix(text, "\ufeff"), err
}

// readFile reads all of a file, or of standard input for -.
func readFile(file string) (string, error) {
	if file == "-" {
		return textFrom(os.Stdin, "standard input")
	}
	f, err := os.Open(file)
	if err != nil {
		return "", &commandError{exitFailed, err.Error(), "a file is named from the working directory; - is standard input"}
	}
	defer func() { _ = f.Close() }() // it was only read
	return textFrom(f, file)
}

// textFrom reads all of a file, which must be a text that fits a document.
func textFrom(in *os.File, name string) (string, error) {
	if info, err := in.Stat(); err == nil && info.IsDir() {
		return "", &commandError{exitFailed, name + " is a folder", "name a file with the text"}
	}
	data, err := io.ReadAll(io.LimitReader(in, store.MaxFileSize+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read %s: %w", name, err)
	case len(data) > store.MaxFileSize:
		return "", &commandError{exitFailed, fmt.Sprintf("%s is over the limit of %d bytes", name, store.MaxFileSize), "split the text into several documents"}
	case !utf8.Valid(data):
		return "", &commandError{exitFailed, name + " is not UTF-8", "convert it, for example with iconv"}
	}
	return string(data), nil
}
