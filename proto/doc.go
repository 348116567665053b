// Package proto holds every byte that crosses a process or network border of
// Pillion: the launch config, the ready line, events, commands, tickets,
// secrets and errors.
package proto
