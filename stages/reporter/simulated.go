package reporter

// Simulated is what a run on paper was answered by.
type Simulated struct {
	// From names the recording or the scenario.
	From string `json:"from"`
	// Replies counts the answers. Of these Invented were never recorded, Masked hold a value that was hidden, and
	// Shortened have a body that was recorded in part, which is not judged.
	Replies   int64 `json:"replies"`
	Invented  int64 `json:"invented"`
	Masked    int64 `json:"masked"`
	Shortened int64 `json:"shortened"`
	// Notes are what it can say and what it cannot, a line each.
	Notes []string `json:"notes"`
}

// simulated says that nothing was sent, and what answered.
func (s *summary) simulated() {
	if s.cfg.Simulated == nil {
		return
	}
	told := s.cfg.Simulated()
	s.section()
	s.line("simulated: nothing was sent; %s from %s, %s of them invented", plural(told.Replies, "reply"), told.From, number(told.Invented))
	if told.Masked > 0 {
		s.line("  %s a value that was masked when it was recorded", holding(told.Masked))
	}
	if told.Shortened > 0 {
		s.line("  %s a body that was recorded in part and is not judged (report.longestBodyKept)", holding(told.Shortened))
	}
	for _, note := range told.Notes {
		s.line("  %s", note)
	}
}

func holding(replies int64) string {
	if replies == 1 {
		return "1 reply holds"
	}
	return plural(replies, "reply") + " hold"
}
