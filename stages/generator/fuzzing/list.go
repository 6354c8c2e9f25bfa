package fuzzing

import (
	"encoding/json"
	"strconv"
	"strings"
)

// texts are troublesome texts.
var texts = []string{
	// Sizes, blanks and controls.
	" ", "  ", "\x09", "\x0a", "\x0d\x0a", " leading", "trailing ", "\x00", "a\x00b", strings.Repeat("x", 255),
	strings.Repeat("x", 256), strings.Repeat("x", 257), strings.Repeat("x", 1023), strings.Repeat("x", 1024),
	strings.Repeat("x", 1025), strings.Repeat("x", 4096), strings.Repeat("x", 8192), strings.Repeat(" ", 256),
	strings.Repeat("\u00e9", 128), strings.Repeat("\U0001f600", 64), "line one\x0aline two", "tab\x09here", "a,b,c", ";",
	",", "|", "&", "=", "?", "#", "%", "+", "~", "!", "*", "\\", "/", "'", "\"", "`", "<", ">", "\x7f", "\x1b[31mred",
	"\x08", "\x0b", "\x0c", "\x01\x02\x03",
	// Words that mean something to programs, and digits that are none.
	"null", "nil", "None", "undefined", "NULL", "true", "false", "NaN", "Infinity", "-Infinity", "yes", "no", "on", "off",
	"0", "-1", "1", "00", "0x10", "1e3", "1_000", "admin", "root", "test", "constructor", "prototype", "toString",
	"hasOwnProperty", "__class__", "length", "id", "[object Object]", "[]", "{}", "()", "C", "CON", "NUL", "aux", "..",
	"...", "con.txt", "Null", "\u221e", "\u00bd", "\u2160", "\u0663\u0664", "\uff11\uff12",
	// Unicode: directions, joiners, marks, normal forms, what maps to something else, what is no character.
	"\u202eabc", "\u200f\u0634\u0643\u0631\u0627", "\u05e9\u05dc\u05d5\u05dd", "a\u200db", "\u200b", "\u2060", "\ufeff",
	"\ufefftext", "\u00a0", "\u2003", "\u2028", "\u2029", "\u0085", "e\u0301", "\u00e9", "\u1e9b\u0323", "\ufb03",
	"\u0130", "\u0131", "\u00df", "\u1e9e", "\u01c4", "\u03c2", "\u212a", "\U0001d63c",
	"\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466", "\U0001f3f3\ufe0f\u200d\U0001f308",
	"\U0001f1e9\U0001f1ea", "\U0001f44d\U0001f3ff", "\ufffd", "\ufffe", "\uffff", "\U0010ffff", "\ue000", "\U00020bb7",
	"Z\u0351\u036b\u0343\u036aA\u0321\u034aL\u0334GO", "\u0e01\u0e34\u0e4c\u0e4c\u0e4c\u0e4c", "\u0bb8\u0bcd\u0bb0\u0bc0",
	"\u1112\u1161\u11ab", "\ud55c", "\u4e2d\u6587\u5b57\u7b26", "\u041f\u0440\u0438\u0432\u0435\u0442",
	"\u0391\u03b8\u03ae\u03bd\u03b1", "\u0397\u200c\u0645", "\u061c", "\u2066abc\u2069", "\u180e", "\u115f", "\u3164",
	"\uff07 OR 1=1", "\u02bcx", "\u2024\u2024\u2215",
	// Encodings of one thing in another.
	"%00", "%20", "%2e%2e%2f", "%25", "%zz", "%C3%A9", "%c0%af", "%e2%80%ae", "&amp;", "&lt;b&gt;", "&#39;", "&#x27;",
	"&nbsp;", "\\u0041", "\\x41", "\\n", "\\\\", "=?utf-8?q?a?=", "+ADw-b+AD4-", "\u00c3\u00a9", "caf\u00c3\u00a9",
	"\u00e2\u20ac\u2122", "YWJj", "YWJj=", "Y W J j", "aGVsbG8", "base64,AAAA", "data:text/plain,hello", "xn--bcher-kva",
	"%F0%9F%98%80",
	// Paths, and what command lines take for something else.
	"../", "../../etc/hostname", "..\\..\\", "/etc/hostname", "./", "//", "a/b", "a//b", "a/../b", "C:\\Windows\\win.ini",
	"\\\\host\\share", "file:///etc/hostname", "~root", ".hidden", "a.", "a b/c d", ".", "-", "--help", "-rf", "@file",
	"a;b", "a:b", "name.tar.gz", "index.php", "%2f", "..%2f", "....//", "nul:",
	// Injections that only show whether text is taken for code: none of them changes, waits or calls out.
	"''", "' OR '1'='1", "\" OR \"1\"=\"1", "1 OR 1=1", "1' AND '1'='2", "') OR ('1'='1", "' UNION SELECT NULL --",
	"1; SELECT 1", "/* comment */", "-- ", "%' AND 1=1 --", "*)(uid=*", "(cn=*)", "' or count(/*)=1 or '", "{{7*7}}",
	"${7*7}", "<%= 7*7 %>", "#{7*7}", "{7*7}", "%{7*7}", "$(echo restest)", "`echo restest`", "; echo restest",
	"| echo restest", "&& echo restest", "<b>bold</b>", "<script>alert(1)</script>", "\"><i>x</i>", "javascript:void(0)",
	"<![CDATA[x]]>", "<?xml version=\"1.0\"?><a/>", "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "%s%s%s%s", "%n%n", "%d",
	"%x%x%x", "{0}", "%1$s", "\x0d\x0aX-Restest: 1", "a\x0d\x0a\x0d\x0ab", "=1+1", "@SUM(1,1)", "+1", "-1+1",
	"{\"$gt\": \"\"}", "[$ne]", "true, $where: '1 == 1'", "O:8:\"stdClass\":0:{}", "!!str x", "&a [*a]",
	"a{1,1000}", "[[:alpha:]]", "^$", "(?=x)", "\\b",
	// Edges of dates and times.
	"0000-01-01", "0001-01-01", "1582-10-10", "1900-02-28", "1969-12-31", "1970-01-01", "1999-12-31", "2000-02-29",
	"2023-02-29", "2024-02-29", "2024-02-30", "2024-12-31", "2038-01-19", "2038-01-20", "9999-12-31", "10000-01-01",
	"-0001-01-01", "2024-1-1", "2024-W01-1", "2024-366", "01/02/2024", "2024-02-29T23:59:60Z", "2016-12-31T23:59:60Z",
	"1970-01-01T00:00:00Z", "2038-01-19T03:14:08Z", "9999-12-31T23:59:59.999999999Z", "0001-01-01T00:00:00Z",
	"2024-03-31T02:30:00+01:00", "2024-06-01T12:00:00+14:00", "2024-06-01T12:00:00-12:00", "2024-06-01T12:00:00.1Z",
	"2024-06-01T12:00:00.123456789Z", "2024-06-01t12:00:00z", "2024-06-01T24:00:00Z", "2024-06-01 12:00:00",
	"2024-06-01T12:00", "23:59:60Z", "24:00:00Z", "00:00:00Z", "P0D", "P1Y2M3DT4H5M6S", "PT36H", "P1W", "-P1D", "0s", "1ns",
	"1ms", "-1s", "1000000h",
	// Edges of other formats.
	"a@b", "a@b.c", "\"a b\"@example.com", "user+tag@example.com", "user@[192.0.2.1]", "user@localhost", "@example.com",
	"a@b@c", strings.Repeat("u", 64) + "@example.com", "\u00fcser@ex\u00e4mple.com",
	"00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF",
	"{00000000-0000-4000-8000-000000000000}", "0.0.0.0", "255.255.255.255", "127.0.0.1", "010.010.010.010", "::", "::1",
	"::ffff:192.0.2.1", "fe80::1%25eth0", "2001:db8::", "localhost", "a.b", "-a.example",
	strings.Repeat("a", 63) + ".example", "http://example.com", "http://example.com:99999/", "http://user@example.com/",
	"HTTP://EXAMPLE.COM/%7Ea", "http://[::1]/", "urn:isbn:0451450523", "mailto:a@example.com", "//example.com", "?q", "#f",
	"+1 555 0100", "+0000000000000000", "4111111111111111", "DE", "de_DE", "zz-ZZ", "EUR", "XXX", "GB00", "image/svg+xml",
	"*/*",
}

// telling are those of the texts by which a reply can show that they were taken for code. They are sent more often.
var telling = []string{"'", "\"", "' OR '1'='1", "<script>alert(1)</script>"}

// numbers are those at the edges of what number types hold, and some that are written in unusual ways.
var numbers = []json.Number{
	"0", "-0", "1", "-1", "0.1", "-0.1", "0.30000000000000004", "1e0", "1E+2", "1e-7", "127", "128", "-129", "255",
	"256", "32767", "32768", "-32769", "65535", "65536", "2147483647", "2147483648", "-2147483648", "-2147483649",
	"4294967295", "4294967296", "9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
	"18446744073709551615", "18446744073709551616", "340282350000000000000000000000000000000", "1e39",
	"1.7976931348623157e308", "1e309", "-1e309", "5e-324", "1e-400", "0.1e1", "1.0", "1.00000000000000000001",
	"99999999999999999999999999999999999999", "3.141592653589793238462643383279",
	"100000000000000000000000000000000000000000000000000", "1e16", "123456789012345678",
}

// noNumbers are those of the numbers that programs use for none, and take for none. They are sent more often.
var noNumbers = []json.Number{"0", "-1"}

// others are values of the other types.
var others = []any{
	nil,
	true,
	false,
	[]any{},
	map[string]any{},
	[]any{nil},
	[]any{[]any{[]any{}}},
	map[string]any{"": ""},
	map[string]any{"$gt": ""},
	map[string]any{"a": map[string]any{"b": map[string]any{}}},
	[]any{"a", "a"},
	[]any{json.Number("1"), "1", true, nil},
}

// structures are lists and objects that hold what programs seldom look for in them. Objects have one property each: two could
// break a rule twice.
var structures = []any{
	map[string]any{"a": nil},
	map[string]any{"a": []any{}},
	map[string]any{"a": map[string]any{}},
	map[string]any{"a": []any{nil}},
	map[string]any{"a": []any{map[string]any{}}},
	map[string]any{"a": []any{[]any{nil}}},
	map[string]any{"a": map[string]any{"b": nil}},
	map[string]any{"a": map[string]any{"b": []any{nil}}},
	map[string]any{"": nil},
	map[string]any{"": map[string]any{"": map[string]any{}}},
	map[string]any{"a.b": json.Number("1")},
	map[string]any{"a[0]": json.Number("1")},
	map[string]any{"\x00": "\x00"},
	map[string]any{"'": "'"},
	map[string]any{"__proto__": map[string]any{"a": json.Number("1")}},
	map[string]any{"constructor": map[string]any{"prototype": map[string]any{"a": json.Number("1")}}},
	map[string]any{"toString": json.Number("1")},
	map[string]any{"length": json.Number("-1")},
	map[string]any{"$ref": "#"},
	map[string]any{"0": "a"},
	map[string]any{"a": deep(64)},
	[]any{map[string]any{}},
	[]any{map[string]any{"a": nil}},
	[]any{[]any{nil}},
	[]any{nil, nil},
	[]any{"", "", ""},
	[]any{json.Number("0"), "0", false, nil},
	many(256),
	deep(64),
}

// deep is a list in a list, so many of them, and many is a list of so many numbers.
func deep(levels int) any {
	v := []any{}
	for range levels {
		v = []any{v}
	}
	return v
}

func many(items int) []any {
	v := make([]any, items)
	for i := range v {
		v[i] = json.Number(strconv.Itoa(i))
	}
	return v
}

// verbatim is JSON that is written as it stands, since it cannot be held as a value: halves of surrogate pairs, escapes,
// and a name that is there twice. Receivers differ in what they make of it (RFC 8259 §4, §8.2).
var verbatim = []json.Number{
	`"\ud800"`, `"\udc00"`, `"\udc00\ud800"`, `"a\ud83d"`, `"\u0000"`, `"\ud83d\ude00"`, `"\/"`, `{"a":1,"a":2}`,
}
