// Package kube runs sidecars as Pods of a Kubernetes cluster: a supervisor's
// [Runner]. It is a module of its own, so that a program that does without a
// cluster does not link its client.
//
//	config, err := rest.InClusterConfig()
//	client, err := kubernetes.NewForConfig(config)
//	s := supervisor.Supervisor{Runner: &kube.Runner{Client: client, Namespace: "browsers", Image: "registry.example/pillion:0.1.0", Name: "dashboard"}}
//
// Each browser is a Pod with the launch config in a Secret, mounted as a file
// and deleted as soon as the browser answers its /health. The Pod has the few
// rights of package container: no capabilities, no privileges to gain, a
// read-only root, limits, and a seccomp profile that each node needs a copy of
// (see sidecar/docs/container.md).
//
// # Network
//
// The host must run in the cluster, or where the cluster's names resolve: it
// reaches a Pod as NAME.SERVICE.NAMESPACE.svc, by a headless service that the
// runner makes. An app or an ingest on loopback can't be reached from a Pod,
// and is refused.
//
// # Life and death
//
// A Pod has no standard input to end with its host, so it lives by other rules:
// the launch's stop_at, a deadline that the cluster itself enforces, and
// [Runner.Sweep], by which the next process of the same Name removes what the
// last one left. Commands do not reach it: a stop deletes the Pod, which gives the
// sidecar its ten seconds; Extend and Revoke are refused with the code unsupported.
// So a browser's end can't be moved: package hostapi lets one whose sandbox lives
// longer end at its own time, and stops one whose sandbox ends sooner.
//
// The service account needs create, get, watch and delete on pods and secrets,
// deletecollection on both, get on pods/log, and create on services.
//
// # Why
//
// Why a file and not an attached standard input? An attachment is one more
// stream through the API server for as long as the browser lives, and breaks
// whenever that restarts.
//
// Why is the ready line looked for in the log? It is all that a Pod says; its
// log has both of its outputs in one.
package kube
