//go:build !linux

package chrome

import (
	"errors"
	"os"
)

var errNoDedicatedUser = errors.New("users of Chromium's own exist on Linux only")

func reserveUser(int) (*os.File, error) { return nil, errNoDedicatedUser }

func mappedUsers() (func(int) bool, error) { return nil, errNoDedicatedUser }
