package settings

// Given are the settings of a run and where each came from.
type Given struct {
	Settings
}

// Value is one setting as it is shown.
type Value struct {
	Name    string // "engine.mostRequestsPerMinute"
	Value   string // as it would be written in a settings file
	Default string
	Meaning string
	// Origin is "default", "file", "environment", "command line" or "worked out".
	Origin string
	// Where is the place within the origin, such as "settings.yaml:3" or "RESTEST_ENGINE_READTIMEOUT"; "" for a default.
	Where string
}

// All are the settings in the order of their groups.
func (g *Given) All() []Value { return nil }
