package values

import (
	"bytes"
	"strings"
)

// seenAs is the name by which values for the field are looked up at the present place. An id within an object is one of
// what the object is: body.pet.id is a pet's.
func (d *Draw) seenAs(f *Field) string {
	switch f.key {
	case "id", "uuid", "guid":
	default:
		return f.key
	}
	at := d.at
	if i := bytes.LastIndexByte(at, '.'); i >= 0 && Key(string(at[i+1:])) == f.key {
		at = at[:i]
	}
	owner := at[bytes.LastIndexByte(at, '.')+1:]
	many := false
	if i := bytes.IndexByte(owner, '['); i >= 0 {
		owner, many = owner[:i], true
	}
	name := Key(string(owner))
	if bytes.IndexByte(at, '.') < 0 || name == "" {
		return f.key // the id of the body itself, or of a parameter
	}
	if many {
		name = strings.TrimSuffix(name, "s")
	}
	return name + f.key
}
