package exact

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// mapFindings reports loops over maps, because their order differs from run to run. It skips a loop that has the same
// result in every order.
func mapFindings(pass *analysis.Pass) (all []finding) {
	for _, file := range pass.Files {
		var functions []ast.Node
		sorted := map[ast.Expr]bool{} // arguments of functions that sort
		// In the same module, the callers of a function with such a loop have
		// the fault too. In other modules, callers have the fault only if the
		// function accepts maps of any type, for example a function that
		// returns the keys. Most other loops over maps in a library do not
		// affect a caller's results.
		carries := func(functions []ast.Node) bool {
			if isOurs(pass) || len(functions) == 0 {
				return true
			}
			d, ok := functions[0].(*ast.FuncDecl)
			return ok && d.Type.TypeParams != nil
		}
		var inspect func(n ast.Node) bool
		inspect = func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				functions = append(functions, n)
				for _, child := range children(n) {
					ast.Inspect(child, inspect)
				}
				functions = functions[:len(functions)-1]
				return false
			case *ast.CallExpr:
				if fn := callee(pass, n); fn != nil && fn.Pkg() != nil {
					p, name := fn.Pkg().Path(), fn.Name()
					if p == "slices" && strings.HasPrefix(name, "Sorted") || p == "maps" && (name == "Collect" || name == "Insert") {
						for _, arg := range n.Args {
							sorted[ast.Unparen(arg)] = true
						}
					}
					if p == "maps" && sorted[n] {
						sorted[nameOf(n.Fun)] = true
					}
				}
			case *ast.AssignStmt: // keys := slices.Collect(maps.Keys(m)); slices.Sort(keys)
				if len(functions) > 0 && len(n.Lhs) == 1 && (&orderless{pass: pass, around: functions[len(functions)-1]}).sortedLater(n.Lhs[0], n.End()) {
					ast.Inspect(n.Rhs[0], func(n ast.Node) bool {
						if id, ok := n.(*ast.Ident); ok {
							sorted[id] = true
						}
						return true
					})
				}
			case *ast.Ident:
				fn, ok := pass.TypesInfo.Uses[n].(*types.Func)
				if text := inAnyOrder(fn); ok && text != "" && !sorted[n] {
					all = append(all, finding{pos: n.Pos(), end: n.End(), carries: carries(functions), text: text})
				}
			case *ast.RangeStmt:
				m, ok := core(pass.TypesInfo.TypeOf(n.X)).(*types.Map)
				if !ok || n.Key == nil || n.Body == nil {
					return true
				}
				var around ast.Node
				if len(functions) > 0 {
					around = functions[len(functions)-1]
				}
				if !(&orderless{pass: pass, loop: n, around: around}).body() {
					f := finding{pos: n.Pos(), end: n.X.End(), carries: carries(functions), text: "a loop over a map takes another order each time"}
					if f.mends = inOrder(pass, file, functions, n, m); f.mends != nil {
						f.text += ": go by sorted keys"
					}
					all = append(all, f)
				}
			}
			return true
		}
		ast.Inspect(file, inspect)
	}
	return all
}

// inAnyOrder describes the fault of a call to a function of the standard library whose results have the order of a map.
func inAnyOrder(fn *types.Func) string {
	if fn == nil || fn.Pkg() == nil {
		return ""
	}
	switch name := fn.FullName(); name {
	case "maps.Keys", "maps.Values", "maps.All":
		return name + " yields another order each time: use slices.Sorted"
	case "(*sync.Map).Range":
		return "sync.Map.Range goes in another order each time: collect and sort the keys"
	case "(reflect.Value).MapKeys", "(reflect.Value).MapRange":
		return "reflect.Value." + fn.Name() + " gives another order each time: collect and sort the keys"
	}
	return ""
}

// nameOf returns the name in an expression that denotes a function.
func nameOf(fun ast.Expr) ast.Expr {
	switch f := ast.Unparen(fun).(type) {
	case *ast.IndexExpr:
		return nameOf(f.X)
	case *ast.IndexListExpr:
		return nameOf(f.X)
	case *ast.SelectorExpr:
		return f.Sel
	default:
		return f
	}
}

func children(n ast.Node) []ast.Node {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Body != nil {
			return []ast.Node{n.Body}
		}
	case *ast.FuncLit:
		return []ast.Node{n.Body}
	}
	return nil
}

func callee(pass *analysis.Pass, call *ast.CallExpr) *types.Func {
	id, _ := nameOf(call.Fun).(*ast.Ident)
	fn, _ := pass.TypesInfo.Uses[id].(*types.Func)
	return fn
}

// orderless holds the data that decide whether a loop over a map has the same result in any order.
type orderless struct {
	pass   *analysis.Pass
	loop   *ast.RangeStmt
	around ast.Node
	// writes has the variables that the loop changes. The value is the number of indices if every change is to an element
	// whose last index is the key of the loop, for example x[2][key]. Otherwise the value is 0.
	writes map[types.Object]int
	// operators has, for each variable with the value 0 in writes, the operator that changes the variable.
	operators map[types.Object]token.Token
}

// body reports whether the loop has the same result in every order. The result
// depends on the order if the loop reads a value that another iteration has
// written, as in n++; number[key] = n.
func (o *orderless) body() bool {
	if o.loop.Tok == token.ASSIGN {
		return false // for key = range m: the last key is left
	}
	o.writes, o.operators = map[types.Object]int{}, map[types.Object]token.Token{}
	wrote := func(e ast.Expr) {
		v, own := o.place(e)
		if v == nil {
			return
		}
		if before, ok := o.writes[v]; ok && before != own {
			own = 0
		}
		o.writes[v] = own
	}
	ast.Inspect(o.loop.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IncDecStmt:
			wrote(n.X)
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				wrote(e)
			}
		case *ast.CallExpr:
			if builtin(o.pass, n) == "delete" {
				wrote(element(n))
			}
		}
		return true
	})
	return o.block(o.loop.Body.List)
}

// appended is the operator of x = append(x, y).
const appended = token.ELLIPSIS

// element returns the element that a call of delete removes.
func element(call *ast.CallExpr) ast.Expr {
	return &ast.IndexExpr{X: call.Args[0], Index: call.Args[1]}
}

// place returns the variable or the field that an assignment to an expression changes, or nil. For an element, this is the
// whole list. If the last index is the key of the loop, own is the number of indices; otherwise it is 0.
func (o *orderless) place(e ast.Expr) (v types.Object, own int) {
	e = ast.Unparen(e)
	i, ok := e.(*ast.IndexExpr)
	mine := ok && o.same(i.Index, o.loop.Key)
	for {
		if i, ok := e.(*ast.IndexExpr); ok {
			e = i.X
			own++
		} else if p, ok := e.(*ast.StarExpr); ok {
			e = p.X
		} else {
			break
		}
		e = ast.Unparen(e)
	}
	if !mine {
		own = 0
	}
	return o.assignedVar(e), own
}

// mayChange reports whether the loop may apply an operator to the left side of an assignment in any order. It may do so if
// each iteration changes a separate element, or if every change of the variable has the same operator. For example, h += k
// and h ^= v in one loop depend on the order. The iterations must not change the indices and the pointers on the left side
// either, as in list[n] += k; n++.
func (o *orderless) mayChange(left ast.Expr, operator token.Token) bool {
	v, _ := o.place(left)
	if v == nil || !isSimple(left) {
		return false
	}
	ok := true
	ast.Inspect(left, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			ok = ok && o.pure(n.Index)
		case *ast.Ident:
			_, written := o.writes[o.object(n)]
			ok = ok && (!written || o.object(n) == v)
		}
		return ok
	})
	if !ok || o.writes[v] > 0 {
		return ok
	}
	before, again := o.operators[v]
	o.operators[v] = operator
	return operator != token.ASSIGN && (!again || before == operator)
}

func (o *orderless) block(list []ast.Stmt) bool {
	for _, s := range list {
		if !o.stmt(s) {
			return false
		}
	}
	return true
}

// stmt reports whether a statement has the same result if the iterations run
// in any order. Such statements delete elements, count in integers, set
// another map by the key, or collect elements that are sorted later.
func (o *orderless) stmt(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.EmptyStmt:
		return true
	case *ast.BlockStmt:
		return o.block(s.List)
	case *ast.BranchStmt:
		return s.Tok == token.CONTINUE && s.Label == nil
	case *ast.IfStmt:
		return s.Init == nil && o.pure(s.Cond) && o.block(s.Body.List) && (s.Else == nil || o.stmt(s.Else))
	case *ast.IncDecStmt:
		return o.integer(s.X) && o.mayChange(s.X, token.ADD_ASSIGN)
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		return ok && builtin(o.pass, call) == "delete" && o.same(call.Args[1], o.loop.Key) && o.mayChange(element(call), token.ASSIGN)
	case *ast.AssignStmt:
		if len(s.Lhs) != 1 || len(s.Rhs) != 1 {
			return false
		}
		left, right := s.Lhs[0], s.Rhs[0]
		switch s.Tok {
		case token.ADD_ASSIGN, token.OR_ASSIGN, token.AND_ASSIGN, token.XOR_ASSIGN:
			return o.integer(left) && o.pure(right) && o.mayChange(left, s.Tok)
		case token.ASSIGN:
			if i, ok := left.(*ast.IndexExpr); ok {
				_, isMap := types.Unalias(o.pass.TypesInfo.TypeOf(i.X)).Underlying().(*types.Map)
				return isMap && o.same(i.Index, o.loop.Key) && o.pure(right) && o.mayChange(left, token.ASSIGN)
			}
			call, ok := right.(*ast.CallExpr)
			return ok && builtin(o.pass, call) == "append" && len(call.Args) == 2 && text(call.Args[0]) == text(left) && o.pure(call.Args[1]) && o.mayChange(left, appended) && o.sortedLater(left, o.loop.End())
		}
	}
	return false
}

func (o *orderless) integer(e ast.Expr) bool {
	b, ok := o.pass.TypesInfo.TypeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0 && isSimple(e)
}

func (o *orderless) pure(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			ok = ok && (o.pass.TypesInfo.Types[n.Fun].IsType() || builtin(o.pass, n) == "len" || builtin(o.pass, n) == "min" || builtin(o.pass, n) == "max")
		case *ast.FuncLit:
			ok = false
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		case *ast.IndexExpr:
			if v, own := o.place(n); own > 0 && own == o.writes[v] { // the turn's own element
				ok = ok && o.mayChange(n, token.ASSIGN)
				return false
			}
		case *ast.Ident:
			_, written := o.writes[o.object(n)]
			ok = ok && !written
		}
		return ok
	})
	return ok
}

func (o *orderless) same(x ast.Expr, y ast.Expr) bool {
	a, ok := ast.Unparen(x).(*ast.Ident)
	b, ok2 := y.(*ast.Ident)
	return ok && ok2 && o.object(a) != nil && o.object(a) == o.object(b)
}

func (o *orderless) object(id *ast.Ident) types.Object {
	if d := o.pass.TypesInfo.Defs[id]; d != nil {
		return d
	}
	return o.pass.TypesInfo.Uses[id]
}

// sortedLater reports whether a list is sorted after a position.
func (o *orderless) sortedLater(list ast.Expr, after token.Pos) (found bool) {
	if o.around == nil {
		return false
	}
	ast.Inspect(o.around, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || call.Pos() < after || len(call.Args) == 0 {
			return true
		}
		if fn := callee(o.pass, call); fn != nil && fn.Pkg() != nil {
			p := fn.Pkg().Path()
			sorts := p == "sort" || p == "slices" && strings.HasPrefix(fn.Name(), "Sort")
			found = found || sorts && o.isAbout(call.Args[0], list)
		}
		return true
	})
	return found
}

// isAbout reports whether an argument contains a list, for example as a part or in a conversion.
func (o *orderless) isAbout(arg, list ast.Expr) (found bool) {
	ast.Inspect(arg, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		found = found || ok && text(e) == text(list) && o.assignedVar(e) == o.assignedVar(list)
		return !found
	})
	return found
}

// assignedVar returns the variable that an assignment to an expression changes, or
// nil.
func (o *orderless) assignedVar(e ast.Expr) types.Object {
	id, _ := nameOf(e).(*ast.Ident)
	if id == nil {
		return nil
	}
	return o.object(id)
}

// inOrder makes a fix that iterates over the sorted keys. It makes no fix if the keys have no order, or if the map
// expression cannot be repeated. It can be repeated if it is a variable or a field that keeps its map during the loop.
func inOrder(pass *analysis.Pass, file *ast.File, functions []ast.Node, n *ast.RangeStmt, m *types.Map) []mend {
	if !isSimple(n.X) || n.Tok != token.DEFINE || mayRemove(pass, n) {
		return nil
	}
	switch ast.Unparen(n.X).(type) {
	case *ast.Ident, *ast.SelectorExpr:
	default:
		return nil
	}
	sl, mends := imports(pass, file, "slices", n.Pos())
	mp, more := imports(pass, file, "maps", n.Pos())
	if sl == "" || mp == "" {
		return nil
	}
	sorted, ok := sortedKeys(pass, file, n, m.Key(), &mends)
	if !ok {
		return nil
	}
	key := "_"
	if id, ok := n.Key.(*ast.Ident); ok {
		key = id.Name
	}
	value, _ := n.Value.(*ast.Ident)
	if n.Value != nil && value == nil {
		return nil
	}
	if value != nil && value.Name == "_" {
		value = nil
	}
	if key == "_" {
		if value == nil {
			return nil
		}
		names := []string{"key", "k", "mapKey"}
		free := slices.IndexFunc(names, func(name string) bool { return !mentions(n, name) })
		if free < 0 {
			return nil
		}
		key = names[free]
	}
	if value != nil {
		// The loop gets the statement value := X[key]. In the body of the loop, X must have the same meaning and the
		// same map as before the loop.
		inside := pass.TypesInfo.Scopes[n.Body]
		if root(n.X) == key || mayReplace(pass, functions, n) || inside == nil || inside.Lookup(value.Name) != nil {
			return nil
		}
	}
	over := text(n.X)
	all := []mend{{n.Key.Pos(), n.X.End(), fmt.Sprintf("_, %s := range %s."+sorted, key, sl, mp, over)}}
	if value != nil {
		at, end := n.Body.Lbrace+1, ";"
		if len(n.Body.List) > 0 && pass.Fset.Position(n.Body.List[0].Pos()).Line > pass.Fset.Position(at).Line {
			end = ""
		}
		all = append(all, mend{at, at, fmt.Sprintf(" %s := %s[%s]%s", value.Name, over, key, end)})
	}
	return append(append(all, mends...), more...)
}

// sortedKeys returns the call of package slices that sorts the keys of a map. The text is a format with two verbs: for
// the name of package maps, and for the map. It adds imports to mends. It returns false for keys without an order that
// all fields determine. Keys with floats have no such order, because of NaN.
func sortedKeys(pass *analysis.Pass, file *ast.File, n ast.Node, key types.Type, mends *[]mend) (call string, ok bool) {
	switch u := key.Underlying().(type) { // a type parameter is an interface here: its type argument is not known
	case *types.Basic:
		return "Sorted(%s.Keys(%s))", exactOrder(u)
	case *types.Array:
		name := typeName(pass, file, key, n.Pos())
		if _, plain := key.(*types.Array); plain {
			if name = typeName(pass, file, u.Elem(), n.Pos()); name != "" {
				name = fmt.Sprintf("[%d]%s", u.Len(), name)
			}
		}
		if name == "" || !exactOrder(u.Elem()) {
			return "", false
		}
		sl, _ := imports(pass, file, "slices", n.Pos())
		return "SortedFunc(%s.Keys(%s), func(a, b " + name + ") int { return " + sl + ".Compare(a[:], b[:]) })", sl != ""
	case *types.Struct:
		name := typeName(pass, file, key, n.Pos())
		cm, more := imports(pass, file, "cmp", n.Pos())
		if name == "" || cm == "" || u.NumFields() == 0 {
			return "", false
		}
		var fields []string
		for i := range u.NumFields() {
			f := u.Field(i)
			if f.Name() == "_" || !exactOrder(f.Type()) || !f.Exported() && f.Pkg() != pass.Pkg {
				return "", false
			}
			fields = append(fields, fmt.Sprintf("%s.Compare(a.%s, b.%[2]s)", cm, f.Name()))
		}
		*mends = append(*mends, more...)
		if len(fields) > 1 {
			return "SortedFunc(%s.Keys(%s), func(a, b " + name + ") int { return " + cm + ".Or(" + strings.Join(fields, ", ") + ") })", true
		}
		return "SortedFunc(%s.Keys(%s), func(a, b " + name + ") int { return " + fields[0] + " })", true
	}
	return "", false
}

// exactOrder reports whether the values of a type have an order in which equal values are identical.
func exactOrder(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsOrdered != 0 && b.Info()&types.IsFloat == 0
}

// mayRemove reports whether an iteration of a loop over a map may remove an element before another iteration visits it. A loop over
// the sorted keys would still visit this element.
func mayRemove(pass *analysis.Pass, n *ast.RangeStmt) (found bool) {
	ast.Inspect(n.Body, func(m ast.Node) bool {
		if call, ok := m.(*ast.CallExpr); ok {
			switch builtin(pass, call) {
			case "clear":
				found = true
			case "delete":
				found = found || n.Key == nil || text(call.Args[1]) != text(n.Key)
			}
		}
		return !found
	})
	return found
}

// root returns the first name of an expression such as a.b.c.
func root(e ast.Expr) string {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// mayReplace reports whether the map expression of a loop may get another map during the loop. This is possible in three
// cases: the body assigns to a variable or a field on the path of the expression, a function literal that the body may call
// does so, or the program takes the address of such a variable or field.
func mayReplace(pass *analysis.Pass, functions []ast.Node, n *ast.RangeStmt) (found bool) {
	path, parts := map[types.Object]bool{}, []types.Type{}
	ast.Inspect(n.X, func(m ast.Node) bool {
		if id, ok := m.(*ast.Ident); ok {
			path[pass.TypesInfo.Uses[id]] = true
		}
		if e, ok := m.(ast.Expr); ok && pass.TypesInfo.TypeOf(e) != nil {
			t := pass.TypesInfo.TypeOf(e)
			parts = append(parts, t)
			if p, ok := t.Underlying().(*types.Pointer); ok {
				parts = append(parts, p.Elem())
			}
		}
		return true
	})
	on := func(e ast.Expr) bool {
		if p, ok := ast.Unparen(e).(*ast.StarExpr); ok { // a pointer to any such variable
			return slices.ContainsFunc(parts, func(t types.Type) bool { return types.Identical(t, pass.TypesInfo.TypeOf(p)) })
		}
		id, ok := nameOf(e).(*ast.Ident)
		return ok && path[pass.TypesInfo.Uses[id]]
	}
	assigns := func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(m.Lhs, on)
		case *ast.RangeStmt:
			found = found || m.Tok == token.ASSIGN && (on(m.Key) || m.Value != nil && on(m.Value))
		}
		return !found
	}
	ast.Inspect(n.Body, assigns)
	if len(functions) == 0 {
		return found
	}
	ast.Inspect(functions[0], func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.FuncLit:
			if n.Pos() < m.Pos() || m.End() < n.End() { // not a literal around the loop
				ast.Inspect(m.Body, assigns)
			}
		case *ast.UnaryExpr:
			found = found || m.Op == token.AND && on(m.X)
		}
		return !found
	})
	return found
}

func mentions(n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}
