package tools

import "slices"

// maxEdits bounds the search for what changed. A page that differs in more lines
// is shown whole: it would be read whole anyway.
const maxEdits = 400

// align gives for each line of b the line of a that it is, -1 for one that is
// new. ok is false when they differ in more than maxEdits lines.
func align(a, b []string) (kept []int, ok bool) {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	kept = make([]int, len(b))
	for i := range kept {
		switch {
		case i < head:
			kept[i] = i
		case i >= len(b)-tail:
			kept[i] = i - len(b) + len(a)
		default:
			kept[i] = -1
		}
	}
	ok = shortestEdit(a[head:len(a)-tail], b[head:len(b)-tail], func(i, j int) { kept[head+j] = head + i })
	return kept, ok
}

// shortestEdit finds a shortest way from a to b by Myers' greedy method and calls
// same for each pair of lines that stay.
func shortestEdit(a, b []string, same func(i, j int)) bool {
	n, m := len(a), len(b)
	// far[k+middle] is how far into a the best path on the diagonal k has come.
	const middle = maxEdits + 1
	far := make([]int, 2*middle+1)
	var trace [][]int
	for d := 0; d <= min(n+m, maxEdits); d++ {
		trace = append(trace, slices.Clone(far))
		for k := -d; k <= d; k += 2 {
			x := far[previous(far, d, k, middle)+middle]
			if previous(far, d, k, middle) < k {
				x++
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			far[k+middle] = x
			if x == n && x-k == m {
				retrace(trace, n, m, middle, same)
				return true
			}
		}
	}
	return false
}

// previous is the diagonal from which the best path of d edits comes to the
// diagonal k.
func previous(far []int, d, k, middle int) int {
	if k == -d || k != d && far[k-1+middle] < far[k+1+middle] {
		return k + 1
	}
	return k - 1
}

// retrace walks back over the path that was found.
func retrace(trace [][]int, x, y, middle int, same func(i, j int)) {
	for d := len(trace) - 1; d > 0; d-- {
		from := previous(trace[d], d, x-y, middle)
		px := trace[d][from+middle]
		py := px - from
		for x > px && y > py {
			x, y = x-1, y-1
			same(x, y)
		}
		x, y = px, py
	}
	for x > 0 && y > 0 {
		x, y = x-1, y-1
		same(x, y)
	}
}
