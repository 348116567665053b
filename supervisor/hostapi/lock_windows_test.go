package hostapi_test

import "errors"

func lock(string) (func(), error) { return nil, errors.ErrUnsupported }
