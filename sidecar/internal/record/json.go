package record

import (
	"math"
	"strconv"
)

// formatTime writes epoch milliseconds as JavaScript would.
func formatTime(ms float64) []byte {
	if ms == math.Trunc(ms) {
		return strconv.AppendInt(nil, int64(ms), 10)
	}
	return strconv.AppendFloat(nil, ms, 'f', -1, 64)
}
