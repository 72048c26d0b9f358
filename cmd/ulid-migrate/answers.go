package main

import "go/types"

// The answers to one question about variables and results, each of which may depend on others and on
// itself. While a variable is looked at, its answer is assumed.
type answers struct {
	assumed bool
	known   map[*types.Var]bool
	order   []*types.Var // in which they were asked
}

func assuming(assumed bool) *answers { return &answers{assumed: assumed, known: map[*types.Var]bool{}} }

// of returns the answer for a variable, which find finds if it is not known.
func (a *answers) of(v *types.Var, find func() bool) bool {
	if answer, ok := a.known[v]; ok {
		return answer
	}
	asked := len(a.order)
	a.order = append(a.order, v)
	a.known[v] = a.assumed
	a.known[v] = find()
	if a.known[v] != a.assumed {
		a.forget(a.order[asked+1:])
		a.order = a.order[:asked+1]
	}
	return a.known[v]
}

// forget forgets the assumed answers for variables, which may rest on a wrong one.
func (a *answers) forget(list []*types.Var) {
	for _, v := range list {
		if a.known[v] == a.assumed {
			delete(a.known, v)
		}
	}
}
