package credentials

import (
	"maps"
	"slices"
)

// Used names what the keys are for, once they are bound: schemes of the document in the order of their names, then
// places such as "header X-Tenant". It never tells a key.
func (k *Keys) Used() []string {
	if k == nil {
		return nil
	}
	used := slices.Sorted(maps.Keys(k.schemes))
	for _, p := range k.everywhere {
		used = append(used, p.In+" "+p.Name)
	}
	return used
}
