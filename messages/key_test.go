package messages

import "testing"

// "Where a request had what a sign-in obtained, in its header, its cookies or its query, it has what that user's obtains
// now" (decision 0022).
func TestAKeyIsCarriedWhereTheOneBeforeStood(t *testing.T) {
	shared := []Field{{"Accept", "*/*"}, {"authorization", "Bearer old"}, {"Cookie", "a=1; sid=old; b=2"}}
	for _, row := range []struct {
		key            Key
		add            bool
		target, header string
		cookie         string
	}{
		{Key{"header", "Authorization", "Bearer new"}, false, "/x?t=old&q=1", "Bearer new", "a=1; sid=old; b=2"},
		{Key{"cookie", "sid", "new"}, false, "/x?t=old&q=1", "Bearer old", "a=1; sid=new; b=2"},
		{Key{"query", "t", "n w+"}, false, "/x?t=n%20w%2B&q=1", "Bearer old", "a=1; sid=old; b=2"},
		{Key{"query", "u", "new"}, false, "/x?t=old&q=1", "Bearer old", "a=1; sid=old; b=2"},
		{Key{"query", "u", "new"}, true, "/x?t=old&q=1&u=new", "Bearer old", "a=1; sid=old; b=2"},
		{Key{"cookie", "c", "new"}, false, "/x?t=old&q=1", "Bearer old", "a=1; sid=old; b=2"},
		{Key{"cookie", "c", "new"}, true, "/x?t=old&q=1", "Bearer old", "a=1; sid=old; b=2; c=new"},
	} {
		r := &Request{Target: "/x?t=old&q=1", Header: shared}
		there := r.Carries(row.key)
		r.Carry(row.key, row.add)
		if r.Target != row.target || Get(r.Header, "Authorization") != row.header || Get(r.Header, "Cookie") != row.cookie {
			t.Errorf("%+v: %s %v", row.key, r.Target, r.Header)
		}
		if !there && !row.add && r.Carries(row.key) || there && row.add {
			t.Errorf("%+v is carried: %t", row.key, there)
		}
	}
	if shared[1].Value != "Bearer old" || shared[2].Value != "a=1; sid=old; b=2" {
		t.Errorf("what other requests share was changed: %v", shared)
	}
	bare := &Request{Target: "/x"}
	for _, k := range []Key{{"header", "X-Key", "k"}, {"cookie", "sid", "s"}, {"query", "t", "q"}} {
		if bare.Carries(k) {
			t.Errorf("%+v is carried", k)
		}
		if bare.Carry(k, true); !bare.Carries(k) {
			t.Errorf("%+v is not carried: %+v", k, bare)
		}
	}
	if !bare.Carries(Key{In: "cookie"}) || (&Request{Target: "/x"}).Carries(Key{In: "cookie"}) {
		t.Error("a cookie without a name is not any")
	}
}
