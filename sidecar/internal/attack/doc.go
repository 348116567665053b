// Package attack runs the attack cases of testdata/attack against the product:
// the real sidecar with a real Chromium, in both flavours where a browser
// matters. It has no code of its own, only tests.
//
//	make attack                          every case, in both browsers, with what has to be waited for
//	go test ./sidecar/internal/attack    the rows of cases.json that need no waiting, in the headless shell
//
// The rows of cases.json are as they were given; those of more.json are of the same
// kinds in other spellings.
//
// # The world
//
// As root, the tests run in a network namespace of their own, whose only way
// out is a cable to a second one that plays the internet: there each address
// that exists is an address of ours, names are answered by a name server of
// ours, and every packet that comes down the cable is looked at. So a row may
// name the address of a real server or of a cloud's metadata service, and the
// sidecar is tested as it is built, without a switch that makes loopback public.
// Nothing can leave the machine.
//
// Without root there is no such world; the rows that need it say so.
//
// # Invariants
//
//   - A row passes because of what arrived, not of what was answered: "refuse"
//     means that no byte reached a trap, "allow" that the request did.
//   - Each row leaves a line in the ledger, with its id, where it was run and how
//     it went; a row without a line is a failure.
//   - A row that contradicts the product's contract is run for what the contract
//     says, and its line names the reason. See deviations_test.go.
//
// # Why
//
// A namespace that has only a loopback interface proves nothing about datagrams:
// WebRTC gathers no candidates there, so even a browser without any switch looks
// silent. Each test of silence here has a twin without the walls that must be
// loud, or the silence means nothing.
package attack
