// page: Alias
package schema

import "entgo.io/ent"

// alias gives the type of a field the name of its alias, such as key.UserID, instead of the
// name that reflection returns, typed.ID[example.com/shop/key.user], which is not Go.
func alias(name string, f ent.Field) ent.Field {
	info := f.Descriptor().Info
	info.PkgPath = "example.com/shop/key"
	info.PkgName = "key"
	info.Ident = "key." + name
	info.RType.Ident = info.Ident
	return f
}
