// Package record is the recording of a session.
package record
