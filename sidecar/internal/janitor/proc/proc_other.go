//go:build !linux

package proc

import "errors"

// List is unsupported without /proc.
func List() ([]Process, error) { return nil, errors.ErrUnsupported }

// Users is unsupported without /proc.
func Users() (map[int]bool, error) { return nil, errors.ErrUnsupported }

// Read is unsupported without /proc.
func Read(int) (Process, error) { return Process{}, errors.ErrUnsupported }

// Args is unsupported without /proc.
func Args(int) []string { return nil }

// Status is unsupported without /proc.
func Status(int) (map[string]string, error) { return nil, errors.ErrUnsupported }

// Namespace is unsupported without /proc.
func Namespace(int, string) string { return "" }

// Seal does nothing: descriptors are not inherited by accident elsewhere, or
// can not be listed.
func Seal(int) {}

// Trim does nothing: how to give back a program's own pages is Linux's.
func Trim() {}

func kill(Process) {}
