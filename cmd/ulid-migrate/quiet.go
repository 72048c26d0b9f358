package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

// A value that becomes any is no finding if it only gets to quiet functions: as an argument, in a
// literal that is one, through a variable, or through a function of the program that only passes it on,
// also to a function literal.

// A flow is what decides where the values of variables of the program go. Only variables count whose type
// is any, or has any as its elements, or is a function that takes such a value.
type flow struct {
	uses    map[*types.Var][]use
	calls   map[*types.Func][]use // of functions of the program whose one result counts
	bodies  map[*types.Func]bool  // the functions of the program that are declared with one
	results map[*types.Var]bool   // which a bare return gives to others

	callbacks map[*types.Var]callback
	takers    map[*types.Func][]use       // of functions of the program that have a callback
	literals  map[*types.Var]*ast.FuncLit // that variables are declared with

	isQuiet  *answers
	isSpread *answers
}

// A callback is a parameter of a function of the program that is a function itself.
type callback struct {
	taker *types.Func
	at    int // of its parameters
}

// A use is a place where a variable's value goes, with the nodes around it.
type use struct {
	pkg   *packages.Package
	stack []ast.Node
}

// flowOf looks for the uses of variables that may have any.
func flowOf(pkgs []*packages.Package) flow {
	w := flow{
		uses:    map[*types.Var][]use{},
		calls:   map[*types.Func][]use{},
		bodies:  map[*types.Func]bool{},
		results: map[*types.Var]bool{},

		callbacks: map[*types.Var]callback{},
		takers:    map[*types.Func][]use{},
		literals:  map[*types.Var]*ast.FuncLit{},

		isQuiet:  assuming(true),
		isSpread: assuming(false),
	}
	nodes := []ast.Node{(*ast.Ident)(nil), (*ast.FuncDecl)(nil), (*ast.FuncType)(nil), (*ast.AssignStmt)(nil)}
	for _, pkg := range pkgs {
		inspector.New(pkg.Syntax).WithStack(nodes, func(n ast.Node, push bool, stack []ast.Node) bool {
			if push {
				w.add(pkg, n, stack)
			}
			return true
		})
	}
	return w
}

func (w flow) add(pkg *packages.Package, n ast.Node, stack []ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		function := pkg.TypesInfo.Defs[n.Name].(*types.Func)
		w.bodies[function] = n.Body != nil
		w.addCallbacks(function)
	case *ast.FuncType:
		for _, field := range fieldsOf(n.Results) {
			for _, name := range field.Names {
				w.results[asVar(pkg.TypesInfo.Defs[name])] = true
			}
		}
	case *ast.AssignStmt:
		for i, e := range n.Rhs {
			name, isName := n.Lhs[i].(*ast.Ident)
			literal, isLiteral := e.(*ast.FuncLit)
			if isName && isLiteral && pkg.TypesInfo.Defs[name] != nil {
				w.literals[asVar(pkg.TypesInfo.Defs[name])] = literal
			}
		}
	case *ast.Ident:
		w.addName(pkg, pkg.TypesInfo.Uses[n], stack)
	}
}

func (w flow) addName(pkg *packages.Package, object types.Object, stack []ast.Node) {
	switch object := object.(type) {
	case *types.Var:
		if v := object.Origin(); mayHaveAny(v.Type()) || takesAny(v.Type()) {
			w.uses[v] = append(w.uses[v], use{pkg, slices.Clone(stack)})
		}
	case *types.Func:
		results := object.Signature().Results()
		if results.Len() == 1 && mayHaveAny(results.At(0).Type()) {
			function := object.Origin()
			w.calls[function] = append(w.calls[function], use{pkg, slices.Clone(stack)})
		}
		if slices.ContainsFunc(vars(object.Signature().Params()), func(v *types.Var) bool { return takesAny(v.Type()) }) {
			taker := object.Origin()
			w.takers[taker] = append(w.takers[taker], use{pkg, slices.Clone(stack)})
		}
	}
}

// addCallbacks remembers the callbacks of a function. A method may be called where no name shows it.
func (w flow) addCallbacks(function *types.Func) {
	signature := function.Signature()
	if signature.Recv() != nil {
		return
	}
	for i, v := range vars(signature.Params()) {
		if takesAny(v.Type()) {
			w.callbacks[v] = callback{function, i}
		}
	}
}

// takesAny reports whether a type is a function with a parameter that may have any.
func takesAny(t types.Type) bool {
	signature, ok := t.Underlying().(*types.Signature)
	return ok && slices.ContainsFunc(vars(signature.Params()), func(v *types.Var) bool { return mayHaveAny(v.Type()) })
}

func fieldsOf(list *ast.FieldList) []*ast.Field {
	if list == nil {
		return nil
	}
	return list.List
}

// mayHaveAny reports whether a type is any, or a slice, array, map or channel that has it in the end. The
// types that have it were seen before.
func mayHaveAny(t types.Type, seen ...types.Type) bool {
	if slices.Contains(seen, t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return u.Empty() && isInterface(t)
	case *types.Slice, *types.Array, *types.Map, *types.Chan:
		return mayHaveAny(u.(container).Elem(), append(seen, t)...)
	default:
		return false
	}
}

// onlyQuiet reports whether the value of a local variable gets to quiet functions only.
func (f *finder) onlyQuiet(v *types.Var) bool {
	isLocal := v != nil && !v.IsField() && v.Parent() != v.Pkg().Scope()
	return isLocal && mayHaveAny(v.Type()) && !f.flow.results[v] && f.usesAreQuiet(v)
}

// usesAreQuiet reports whether each use of a variable gives its value to quiet functions only, or
// writes to it.
func (f *finder) usesAreQuiet(v *types.Var) bool {
	return f.flow.isQuiet.of(v, func() bool {
		isLoud := func() bool { return !f.isKey() && !f.isQuietPlace() }
		return !slices.ContainsFunc(f.flow.uses[v], func(u use) bool { return f.at(u, isLoud) })
	})
}

// at asks something with the finder at a use of a variable.
func (f *finder) at(u use, is func() bool) bool {
	pkg, stack := f.pkg, f.stack
	defer func() { f.pkg, f.stack = pkg, stack }()
	f.pkg, f.stack = u.pkg, u.stack
	return is()
}

// isKey reports whether the finder is at the name of a field in a literal, which is written to.
func (f *finder) isKey() bool {
	pair, ok := f.stack[len(f.stack)-2].(*ast.KeyValueExpr)
	name, isName := f.stack[len(f.stack)-1].(*ast.Ident)
	return ok && isName && pair.Key == name && asVar(f.pkg.TypesInfo.Uses[name]).IsField()
}

// isQuietPlace reports whether the value that the finder is at goes to quiet functions only.
func (f *finder) isQuietPlace() bool {
	for i := len(f.stack) - 2; i >= 0; i-- {
		child := f.stack[i+1]
		switch n := f.stack[i].(type) {
		case *ast.ParenExpr, *ast.KeyValueExpr, *ast.IndexExpr: // what is around them decides
		case *ast.SelectorExpr:
			if n.Sel != child {
				return f.isQuietMethod(n)
			}
		case *ast.TypeAssertExpr:
			return n.Type != nil && !isInterface(f.typeOf(n.Type)) // from here on it has a type
		case *ast.RangeStmt:
			return child == n.X && f.isQuietRange(n)
		case *ast.SendStmt:
			return child == n.Chan || f.isQuietTarget(n.Chan)
		case *ast.ReturnStmt:
			return f.isQuietResult()
		case *ast.ExprStmt:
			return true
		case *ast.CompositeLit:
			if isOf(f.typeOf(n), takesIDs) {
				return false
			}
		case *ast.CallExpr:
			if !f.isPassedThrough(n) {
				return f.isQuietArgument(n, slices.Index(n.Args, asExpr(child)))
			}
		case *ast.UnaryExpr:
			if n.Op != token.AND && n.Op != token.ARROW {
				return false
			}
		case *ast.AssignStmt:
			return f.isQuietAssignment(n, asExpr(child))
		case *ast.ValueSpec:
			at := slices.Index(n.Values, asExpr(child))
			return at >= 0 && len(n.Values) == len(n.Names) && f.isQuietTarget(n.Names[at])
		case *ast.BinaryExpr:
			return n.Op == token.EQL || n.Op == token.NEQ
		default:
			return false
		}
	}
	return false
}

func asExpr(n ast.Node) ast.Expr {
	e, _ := n.(ast.Expr)
	return e
}

// isQuietRange reports whether the elements that a range clause gives get to quiet functions only.
func (f *finder) isQuietRange(n *ast.RangeStmt) bool {
	element := n.Value
	if _, isChannel := f.typeOf(n.X).Underlying().(*types.Chan); isChannel {
		element = n.Key
	}
	return element == nil || f.isQuietTarget(element)
}

// isQuietMethod reports whether a method of the program gives its receiver to quiet functions only.
func (f *finder) isQuietMethod(n *ast.SelectorExpr) bool {
	method, ok := f.pkg.TypesInfo.Uses[n.Sel].(*types.Func)
	return ok && f.flow.bodies[method.Origin()] && f.onlyQuiet(method.Origin().Signature().Recv())
}

// isQuietResult reports whether the function around the finder returns its one result to quiet places
// only. That of a function literal is not known, nor that of a method which is called through an interface.
func (f *finder) isQuietResult() bool {
	declaration, ok := f.function().(*ast.FuncDecl)
	if !ok {
		return false
	}
	function := f.declared(declaration)
	receiver := function.Signature().Recv()
	mayBeCalledUnseen := receiver != nil && !f.isHidden(receiver.Type()) || len(f.flow.calls[function]) == 0
	return !mayBeCalledUnseen && f.callsAreQuiet(function)
}

// callsAreQuiet reports whether what a function returns gets to quiet functions only, at each of its calls.
func (f *finder) callsAreQuiet(function *types.Func) bool {
	return f.flow.isQuiet.of(function.Signature().Results().At(0), func() bool {
		isLoud := func() bool { return !f.isCallInQuietPlace() }
		return !slices.ContainsFunc(f.flow.calls[function], func(u use) bool { return f.at(u, isLoud) })
	})
}

// isCallInQuietPlace reports whether the function whose name the finder is at is called there, and its
// result only gets to quiet functions.
func (f *finder) isCallInQuietPlace() bool {
	if !f.goToCall() {
		return false
	}
	return f.isQuietPlace()
}

// goToCall moves the finder from the name of a function to its call, and reports whether it is called there.
func (f *finder) goToCall() bool {
	at := len(f.stack) - 2
	if selector, ok := f.stack[at].(*ast.SelectorExpr); ok && selector.Sel == f.stack[at+1] {
		at--
	}
	call, ok := f.stack[at].(*ast.CallExpr)
	if !ok || call.Fun != f.stack[at+1] {
		return false
	}
	f.stack = f.stack[:at+1]
	return true
}

// isPassedThrough reports whether a call has its arguments in its result: of a conversion, or append.
func (f *finder) isPassedThrough(call *ast.CallExpr) bool {
	return f.pkg.TypesInfo.Types[call.Fun].IsType() || f.isAppend(call)
}

func (f *finder) isAppend(call *ast.CallExpr) bool {
	builtin, ok := typeutil.Callee(f.pkg.TypesInfo, call).(*types.Builtin)
	return ok && builtin.Name() == "append"
}

// isQuietAssignment reports whether an assignment only writes to the variable that child names, or
// gives the value of child to a quiet variable.
func (f *finder) isQuietAssignment(n *ast.AssignStmt, child ast.Expr) bool {
	if slices.Contains(n.Lhs, child) {
		return true
	}
	at := slices.Index(n.Rhs, child)
	if _, isCall := child.(*ast.CallExpr); at < 0 || isCall && len(n.Lhs) > len(n.Rhs) {
		return false
	}
	return f.isQuietTarget(n.Lhs[at]) // of v, ok := m[key] the first
}

// isQuietTarget reports whether what is assigned to an expression gets to quiet functions only.
func (f *finder) isQuietTarget(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		return f.isQuietTarget(e.X)
	case *ast.SelectorExpr:
		selection := f.pkg.TypesInfo.Selections[e]
		return selection != nil && len(selection.Index()) == 1 && f.isQuietField(selection.Recv(), asVar(selection.Obj()))
	case *ast.Ident:
		return e.Name == "_" || f.onlyQuiet(asVar(f.pkg.TypesInfo.ObjectOf(e)))
	default:
		return false
	}
}

// isQuietArgument reports whether a function does nothing with its ith argument that could reach a database.
func (f *finder) isQuietArgument(call *ast.CallExpr, i int) bool {
	if i < 0 {
		return false
	}
	switch object := typeutil.Callee(f.pkg.TypesInfo, call).(type) {
	case *types.Builtin:
		return object.Name() != "append" && object.Name() != "copy"
	case *types.Func:
		if in(object.Pkg(), quiet) {
			return !in(object.Pkg(), keepers) && !slices.Contains(keeperFuncs, f.functionName(call.Fun, object))
		}
		function := object.Origin()
		parameters := function.Signature().Params()
		return f.flow.bodies[function] && f.onlyQuiet(parameters.At(min(i, parameters.Len()-1)))
	case *types.Var:
		return f.isQuietCallback(object, i)
	default:
		return false
	}
}

// isQuietCallback reports whether a variable is a callback that nothing but calls uses, and whether all
// that is passed for it are function literals that give their ith argument to quiet functions only.
func (f *finder) isQuietCallback(v *types.Var, i int) bool {
	c, ok := f.flow.callbacks[v]
	if !ok || v.Type().Underlying().(*types.Signature).Variadic() {
		return false
	}
	isUnseen := func() bool { return !f.goToCall() }
	isLoud := func() bool { return !f.goToCall() || !f.passesQuiet(c.at, i) }
	return !slices.ContainsFunc(f.flow.uses[v], func(u use) bool { return f.at(u, isUnseen) }) &&
		!slices.ContainsFunc(f.flow.takers[c.taker], func(u use) bool { return f.at(u, isLoud) })
}

// passesQuiet reports whether the call that the finder is at passes, at the given place, a function literal, or
// a variable that only has one, that gives its ith argument to quiet functions only.
func (f *finder) passesQuiet(at, i int) bool {
	call := f.stack[len(f.stack)-1].(*ast.CallExpr)
	if at >= len(call.Args) {
		return false // the results of another call
	}
	literal, ok := call.Args[at].(*ast.FuncLit)
	if name, isName := call.Args[at].(*ast.Ident); isName {
		literal, ok = f.onlyLiteral(asVar(f.pkg.TypesInfo.Uses[name]))
	}
	return ok && f.onlyQuiet(f.typeOf(literal).(*types.Signature).Params().At(i))
}

// onlyLiteral returns the function literal that a variable is declared with, if it is never another.
func (f *finder) onlyLiteral(v *types.Var) (literal *ast.FuncLit, ok bool) {
	literal, ok = f.flow.literals[v]
	mayChange := func() bool {
		switch n := f.stack[len(f.stack)-2].(type) {
		case *ast.CallExpr:
			return false
		case *ast.AssignStmt:
			return slices.Contains(n.Lhs, asExpr(f.stack[len(f.stack)-1]))
		default:
			return true
		}
	}
	return literal, ok && !slices.ContainsFunc(f.flow.uses[v], func(u use) bool { return f.at(u, mayChange) })
}
