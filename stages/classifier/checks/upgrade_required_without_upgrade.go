package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// upgradeRequiredWithoutUpgrade, F112, finds 426 without Upgrade.
//
// A 426 must say to which protocols the client has to change (RFC 9110 §15.5.22, §7.8). It is certain.
type upgradeRequiredWithoutUpgrade struct{}

func (upgradeRequiredWithoutUpgrade) About() About {
	return About{
		Code: 112, Name: "upgradeRequiredWithoutUpgrade", Title: "426 without Upgrade",
		On: func(c settings.Checks) bool { return c.UpgradeRequiredWithoutUpgrade },
	}
}

func (c upgradeRequiredWithoutUpgrade) Check(in *Input) []messages.Finding {
	reply := in.answered(426)
	if reply == nil || has(reply.Header, "Upgrade") {
		return nil
	}
	f := c.About().finding("426 without Upgrade", "the field Upgrade (RFC 9110 §15.5.22)", answer(reply))
	f.Place = "Upgrade"
	return []messages.Finding{f}
}
