package kube

import (
	"slices"
	"sync"
)

// names are those of the Pods that this process has. The zero value is empty.
type names struct {
	mu  sync.Mutex
	all []string
}

func (n *names) add(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, name)
}

func (n *names) remove(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = slices.DeleteFunc(n.all, func(o string) bool { return o == name })
}

func (n *names) list() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.all)
}
