package settings

import (
	"net/url"
	"strings"
	"testing"
)

func TestWhichProxyATargetIsReachedThrough(t *testing.T) {
	for _, row := range []struct {
		target, given string
		environ       []string
		want          string
	}{
		{target: "http://api.test/"},
		{target: "http://api.test/", given: "http://p:1", want: "http://p:1"},
		{target: "http://127.0.0.1:8080/", given: "http://p:1", want: "http://p:1"},
		{target: "http://api.test/", environ: []string{"HTTP_PROXY=http://p:1"}, want: "http://p:1"},
		{target: "http://api.test/", environ: []string{"HTTPS_PROXY=http://p:1"}},
		{target: "https://api.test/", environ: []string{"https_proxy=p:1"}, want: "http://p:1"},
		{target: "https://api.test/", environ: []string{"https_proxy=q:1", "HTTPS_PROXY=p:1"}, want: "http://p:1"},
		{target: "https://api.test/", given: "http://g:1", environ: []string{"HTTPS_PROXY=p:1"}, want: "http://g:1"},
		{target: "http://localhost:8080/", environ: []string{"HTTP_PROXY=http://p:1"}},
		{target: "http://[::1]:8080/", environ: []string{"HTTP_PROXY=http://p:1"}},
		{target: "http://api.test/", given: "http://p:1", environ: []string{"NO_PROXY=*"}},
		{target: "http://api.test/", given: "http://p:1", environ: []string{"NO_PROXY=other.test, API.test"}},
		{target: "http://v1.api.test/", given: "http://p:1", environ: []string{"no_proxy=api.test"}},
		{target: "http://v1.api.test/", given: "http://p:1", environ: []string{"no_proxy=.api.test"}},
		{target: "http://api.test/", given: "http://p:1", environ: []string{"no_proxy=.api.test"}, want: "http://p:1"},
		{target: "http://myapi.test/", given: "http://p:1", environ: []string{"no_proxy=api.test"}, want: "http://p:1"},
		{target: "http://api.test/", given: "http://p:1", environ: []string{"no_proxy=api.test:80"}},
		{target: "http://api.test:8080/", given: "http://p:1", environ: []string{"no_proxy=api.test:80"}, want: "http://p:1"},
		{target: "http://10.1.2.3/", given: "http://p:1", environ: []string{"NO_PROXY=10.0.0.0/8"}},
		{target: "http://11.1.2.3/", given: "http://p:1", environ: []string{"NO_PROXY=10.0.0.0/8,,"}, want: "http://p:1"},
		{target: "http://[fd00::1]:9/", given: "http://p:1", environ: []string{"NO_PROXY=[fd00::1]:9"}},
		{target: "http://[fd00::1]:9/", given: "http://p:1", environ: []string{"NO_PROXY=fd00:0::1"}},
	} {
		target, err := url.Parse(row.target)
		if err != nil {
			t.Fatal(err)
		}
		proxy, err := ProxyFor(target, row.given, row.environ)
		got := ""
		if proxy != nil {
			got = proxy.String()
		}
		if err != nil || got != row.want {
			t.Errorf("%+v: got %q, %v", row, got, err)
		}
	}
}

func TestAProxyThatCannotBeUsedIsNamedWithoutItsPassword(t *testing.T) {
	_, err := ProxyFor(&url.URL{Scheme: "https", Host: "api.test"}, "", []string{"HTTPS_PROXY=socks5://me:my-password@host"})
	if err == nil || strings.Contains(err.Error(), "my-password") || !strings.HasPrefix(err.Error(), "HTTPS_PROXY: ") {
		t.Errorf("got %v", err)
	}
}
