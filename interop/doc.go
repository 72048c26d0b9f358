// Package interop proves the library on the outside world: on real databases, drivers and
// encoders, and beside its peers. It is a module of its own, so that what it needs is no
// dependency of the library.
package interop
