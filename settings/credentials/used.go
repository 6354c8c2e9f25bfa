package credentials

import (
	"maps"
	"slices"

	"github.com/restest/restest/settings/document"
)

// Used names what the keys are for, once they are bound: schemes of the document in the order of their names, then
// places such as "header X-Tenant", then who signs in, and where. It never
// tells a key.
func (k *Keys) Used(doc *document.Document) []string {
	if k == nil {
		return nil
	}
	used := slices.Sorted(maps.Keys(k.schemes))
	for _, p := range k.everywhere {
		used = append(used, p.In+" "+p.Name)
	}
	for i, u := range k.users {
		for _, p := range u.Fixed {
			used = append(used, p.In+" "+p.Name+" of "+u.Name)
		}
		for _, l := range k.logins {
			if l.User == i {
				used = append(used, u.Name+", signed in by "+l.Label(doc))
			}
		}
	}
	for _, l := range k.logins {
		if l.User == Everyone {
			used = append(used, l.Scheme+", a token from "+l.Label(doc))
		}
	}
	return used
}
