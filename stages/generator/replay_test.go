package generator

import (
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/stages/generator/rechecks"
)

// errandsAt are those of a replay: a request to each of the paths, which carries a token that is no more where it says who it
// is of.
func errandsAt(requests ...[2]string) []rechecks.Errand {
	var errands []rechecks.Errand
	for i, r := range requests {
		request := &messages.Request{
			Operation: map[string]int{"/open": 0, "/a": 1, "/b": 2}[r[0]], Method: "GET", Target: r[0], User: r[1],
			Recheck: &messages.Recheck{Seq: int64(i), Finding: messages.FindingKey{Status: 500}},
		}
		if r[1] != "" {
			request.Header = []messages.Field{{Name: "Authorization", Value: ""}}
		}
		errands = append(errands, rechecks.Errand{Request: request})
	}
	return errands
}

// over wants nothing more to be offered, ever.
func (o *office) over() {
	o.tb.Helper()
	if offer := o.want(messages.Want{}); offer.Request != nil || offer.Why != messages.NothingEver {
		o.tb.Fatalf("it offers %s, %d", describe(offer.Request), offer.Why)
	}
}

// "A replay … signs in as a run does, for what it sends alone and before the first request that carries it. Where a request
// had what a sign-in obtained … it has what that user's obtains now" (decision 0022).
func TestAReplaySignsInForWhatItSendsAlone(t *testing.T) {
	o := newOffice(t, annAndBob, errandsAt([2]string{"/open", ""}, [2]string{"/a", "bob"}, [2]string{"/b", "bob"}, [2]string{"/a", ""})...)
	o.answers(o.next("/open"), 200)
	in := o.next("/a") // it carried nothing, so it needs nothing
	o.answers(in, 401)
	in = o.next("sign-in")
	if in.User != "bob" {
		t.Errorf("%s signs in", in.User)
	}
	o.next("nothing")
	o.grants(in, "tok-bob", 0)
	o.answers(o.next("/a tok-bob"), 500)
	o.answers(o.next("/b tok-bob"), 500)
	o.over()
}

func TestAReplaySendsAgainOnceWhatMetA401(t *testing.T) {
	o := newOffice(t, annAndBob, errandsAt([2]string{"/a", "ann"}, [2]string{"/b", "ann"}, [2]string{"/a", "ann"})...)
	o.grants(o.next("sign-in"), "one", 0)
	o.answers(o.next("/a one"), 500)
	o.answers(o.next("/b one"), 401)
	late := o.next("sign-in")
	o.grants(late, "two", 0)
	o.answers(o.next("/b two"), 401) // it refuses for a reason of its own
	o.answers(o.next("/a two"), 500)
	o.over()
}

func TestAReplayKeepsToWhatItWasRefusedWithAtFirst(t *testing.T) {
	o := newOffice(t, annAndBob, errandsAt([2]string{"/a", "ann"}, [2]string{"/b", "ann"})...)
	o.grants(o.next("sign-in"), "one", 0)
	o.answers(o.next("/a one"), 401)
	o.answers(o.next("/b one"), 401)
	o.over()
}

func TestAReplayGivesUpWhatCannotBeSignedInForAndGoesOnWithTheRest(t *testing.T) {
	o := newOffice(t, annAndBob, errandsAt([2]string{"/a", "ann"}, [2]string{"/b", "bob"}, [2]string{"/open", ""})...)
	in := o.next("/open")
	o.answers(in, 200)
	in = o.next("sign-in")
	o.told(in, 503, &messages.SignedIn{Failure: "POST /login answered 503"})
	if in = o.next("sign-in"); in.User != "bob" {
		t.Fatalf("%s signs in", in.User)
	}
	o.told(in, 401, &messages.SignedIn{Failure: "POST /login answered 401", Definite: true})
	offer := o.want(messages.Want{})
	if offer.Request != nil || offer.Why != messages.NothingMayGo || offer.Until != o.clock.Now().Add(firstSignInWait) {
		t.Fatalf("it offers %s, until %d", describe(offer.Request), offer.Until)
	}
	o.pass(time.Second)
	o.grants(o.next("sign-in"), "one", 0)
	o.answers(o.next("/a one"), 500)
	o.over()
}

func TestASignInOfAReplayThatIsHandedBackIsOfferedAgain(t *testing.T) {
	o := newOffice(t, annAndBob, errandsAt([2]string{"/a", "ann"})...)
	in := o.next("sign-in")
	o.g.Handle(messages.Returned{Request: in})
	if again := o.next("sign-in"); again.Seq != in.Seq {
		t.Errorf("it is number %d, and was %d", again.Seq, in.Seq)
	}
}

// A re-check within the run carries what is obtained by then, wherever that goes.
func TestARecheckCarriesTheCookieOfNow(t *testing.T) {
	o := newOffice(t, strings.NewReplacer("header", "cookie", "Authorization", "sid", "Bearer ", "").Replace(annAndBob))
	cookie := func(value string) *messages.SignedIn {
		return &messages.SignedIn{Keys: []messages.Key{{In: "cookie", Name: "sid", Value: value}}, Lasts: time.Minute}
	}
	o.told(o.next("sign-in"), 200, cookie("one"))
	r := o.next("/a", "/b", "/open")
	o.pass(2 * time.Minute)
	o.told(o.next("sign-in"), 200, cookie("two"))
	again := *r
	if o.g.dress(&again); messages.Get(again.Header, "Cookie") != "sid=two" || messages.Get(r.Header, "Cookie") != "sid=one" {
		t.Errorf("it carries %v, before it was %v", again.Header, r.Header)
	}
}
