package values

import "testing"

func TestAnIDWithinAnObjectIsOneOfWhatTheObjectIs(t *testing.T) {
	for _, row := range []struct{ at, name, want string }{
		{"body.pet.id", "id", "petid"},
		{"body.pets[2].id", "id", "petid"},
		{"body.order.pet.uuid", "uuid", "petuuid"},
		{"body.id", "id", "id"},
		{"body[1].id", "id", "id"},
		{"query.id", "id", "id"},
		{"body.pet.name", "name", "name"},
		{"body.petId", "petId", "petid"},
	} {
		d := &Draw{at: []byte(row.at)}
		if got := d.seenAs(&Field{Name: row.name, key: Key(row.name)}); got != row.want {
			t.Errorf("%s: %s, want %s", row.at, got, row.want)
		}
	}
}
