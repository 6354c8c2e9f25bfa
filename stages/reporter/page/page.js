(() => {
"use strict";

const report = JSON.parse(document.getElementById("report").textContent);

// What is shown of a long list at first, and how much more each time its end comes near.
const shownAtOnce = 60;
// What is shown of a list at first that grows on demand alone.
const shownFolded = 10;
// How many findings are printed in full.
const mostPrinted = 50;

// --- small things ---------------------------------------------------------------------------------------------------

// el makes an element. What is given as text stays text, whatever it holds.
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "onclick" || name === "oninput" || name === "onchange") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name === "className" ? "class" : name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((c) => c !== undefined && c !== null && c !== "").map((c) => (c instanceof Node ? c : String(c))));
  return node;
}

// text is a text of the report, which is an object where its bytes are not UTF-8.
function text(t) {
  if (t === undefined || t === null) return "";
  if (typeof t === "string") return t;
  return decoded(t.base64);
}

function decoded(base64) {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)));
  } catch {
    return base64;
  }
}

const seconds = (iso) => Number(/^PT([0-9.]+)S$/.exec(iso || "PT0S")?.[1] ?? 0);
const number = (n) => Number(n).toLocaleString("en");
const many = (n, one, several) => number(n) + " " + (n === 1 ? one : several || one + "s");
const percent = (part, whole) => (!(whole > 0) ? "–" : part > 0 && part / whole < 0.005 ? "<1%" : Math.round((100 * part) / whole) + "%");

// span is a length of time in words, of three digits or so.
function span(s) {
  if (!(s > 0)) return "0 s";
  if (s < 9.995e-4) return digits(s * 1e6) + " µs";
  if (s < 0.9995) return digits(s * 1e3) + " ms";
  if (s < 60) return digits(s) + " s";
  if (s < 3600) return Math.floor(s / 60) + " min" + (Math.round(s % 60) ? " " + Math.round(s % 60) + " s" : "");
  return Math.floor(s / 3600) + " h" + (Math.round((s % 3600) / 60) ? " " + Math.round((s % 3600) / 60) + " min" : "");
}
const digits = (x) => String(Number(x.toPrecision(3)));

// moment is a moment of the run: the time of day, as far from its start as matters.
function moment(iso) {
  const d = new Date(iso);
  return isNaN(d) ? iso : d.toLocaleString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" }) + "." + String(d.getMilliseconds()).padStart(3, "0");
}

function say(words) {
  const said = document.getElementById("said");
  said.textContent = words;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { said.textContent = ""; }, 2500);
}

async function copy(what, words) {
  try {
    await navigator.clipboard.writeText(words);
  } catch {
    const area = el("textarea", { readonly: true });
    area.value = words;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) return say("The browser does not allow copying here");
  }
  say(what + " copied");
}

// section adds a part of the page, and its name to the list of parts.
function section(id, name, count, lead, ...children) {
  const part = el("section", { id, "aria-labelledby": id + "-name" },
    el("h2", { id: id + "-name" }, name), lead ? el("p", { className: "lead" }, lead) : null, ...children);
  document.getElementById("main").append(part);
  document.getElementById("parts").append(el("li", {},
    el("a", { href: "#" + id }, name, count === null ? null : el("span", { className: "n" }, number(count)))));
  return part;
}

// grow fills a list bit by bit: more when the button at its end is pressed, or comes near unless the list is folded.
function grow(list, foot, all, row, folded) {
  let shown = 0;
  const button = el("button", { className: "more", type: "button", onclick: () => more() });
  foot.replaceChildren(button);
  function more(upTo) {
    const end = Math.min(all.length, Math.max(upTo || 0, shown + (folded && shown === 0 ? shownFolded : shownAtOnce)));
    const rows = document.createDocumentFragment();
    for (; shown < end; shown++) rows.append(row(all[shown], shown));
    list.append(rows);
    button.hidden = shown >= all.length;
    button.textContent = "Show more: " + number(all.length - shown) + " are left";
  }
  list.replaceChildren();
  more();
  if (folded) return null;
  grow.watch ||= new IntersectionObserver((seen) => {
    for (const s of seen) if (s.isIntersecting && !s.target.hidden) s.target.more();
  }, { rootMargin: "800px" });
  button.more = () => { more(); if (!button.hidden) { grow.watch.unobserve(button); grow.watch.observe(button); } };
  grow.watch.observe(button);
  return { more, shown: () => shown };
}

const classes = [
  { key: "2xx", style: "s2", name: "2xx", color: "--c2" },
  { key: "3xx", style: "s3", name: "3xx", color: "--c3" },
  { key: "4xx", style: "s4", name: "4xx", color: "--c4" },
  { key: "5xx", style: "s5", name: "5xx", color: "--c5" },
  { key: "odd", style: "sx", name: "other", color: "--cx" },
  { key: "none", style: "s0", name: "no reply", color: "--c0" },
];

// byClass are the counts of the classes, in their order.
const byClass = (c, noReply) => [c["2xx"], c["3xx"], c["4xx"], c["5xx"], c["1xx"] + c.other, noReply];

// bar is a bar of parts, each as long as its count.
function bar(counts, styles, names, tall) {
  const all = counts.reduce((a, b) => a + b, 0);
  const words = counts.map((n, i) => (n > 0 ? names[i] + " " + (tall ? span(n) : number(n)) : "")).filter(Boolean).join(", ");
  const b = el("div", { className: tall ? "bar tall" : "bar", role: "img", "aria-label": words || "nothing", title: words });
  counts.forEach((n, i) => {
    if (!(n > 0)) return;
    const part = el("i", { className: styles[i] });
    part.style.flexGrow = String(n / all);
    b.append(part);
  });
  return b;
}

const keys = (entries) => el("ul", { className: "keys" }, entries.map(([style, name]) => el("li", {}, el("i", { className: style }), name)));

const operations = new Map(report.operations.map((o) => [o.id, o]));

function operationName(id) {
  const o = operations.get(id);
  return o ? [el("span", { className: "method" }, o.method), " ", el("span", { className: "path" }, o.path)] : [id];
}

// --- findings -------------------------------------------------------------------------------------------------------

const words = report.words || [];
const fieldLines = report.fields || [];
const findings = report.findings.map((f) => ({ got: "", place: "", ...f }));
const categories = new Map(report.faultsByCategory.map((c) => [c.code, c.name]));

// again says what came of sending a finding's request again.
const again = { confirmed: "confirmed", flaky: "flaky", gone: "gone", notRechecked: "not sent again" };

const facets = [
  { key: "code", name: "Code", of: (f) => f.code, label: (v) => v + " " + (categories.get(v) || "") },
  { key: "operation", name: "Operation", of: (f) => f.operation, label: (v) => { const o = operations.get(v); return o ? o.method + " " + o.path : v; } },
  { key: "status", name: "Status", of: (f) => (f.status ? String(f.status) : "no reply") },
  { key: "certainty", name: "Certainty", of: (f) => f.certainty },
  { key: "recheck", name: "Sent again", of: (f) => f.recheck, label: (v) => again[v] || v },
  { key: "known", name: "Known", of: (f) => (f.known ? "known" : "not known") },
  { key: "baseline", name: "Against the baseline", of: (f) => f.baseline },
];

const orders = {
  report: { name: "Surest first", by: null },
  count: { name: "Most often seen", by: (a, b) => b.count - a.count },
  first: { name: "First seen", by: (a, b) => (a.firstSeen < b.firstSeen ? -1 : a.firstSeen > b.firstSeen ? 1 : 0) },
  operation: { name: "By operation", by: (a, b) => (a.operation < b.operation ? -1 : a.operation > b.operation ? 1 : 0) },
};

const chosen = { level: "", text: "", order: "report" };
const opened = new Set();
let listed = findings;
let growing = null;

// searched is all that the search looks through, made when it is first needed.
function searched(f) {
  if (f.searched === undefined) {
    const o = operations.get(f.operation);
    f.searched = [f.id, f.code, words[f.title], f.operation, o ? o.method + " " + o.path : "", words[f.expected], f.got, f.place, f.status,
      text(f.request?.url), f.request?.body?.text, text(f.failure), f.reply?.body?.text].join("\n").toLowerCase();
  }
  return f.searched;
}

function fits(f) {
  if (chosen.level && f.level !== chosen.level) return false;
  for (const facet of facets) if (chosen[facet.key] && facet.of(f) !== chosen[facet.key]) return false;
  return chosen.text.split(/\s+/).every((part) => !part || searched(f).includes(part));
}

const list = el("ol", { className: "findings card", id: "list" });
const foot = el("div", {});
const tally = el("span", { role: "status" });
const clear = el("button", { className: "button", type: "button", onclick: () => { choose({}); controls.search.focus(); } }, "Clear the filters");
const controls = { search: null, levels: [], selects: {} };

// choose sets the filters to what is given, and all others to none.
function choose(wanted) {
  chosen.level = wanted.level || "";
  chosen.text = wanted.text || "";
  for (const facet of facets) chosen[facet.key] = wanted[facet.key] || "";
  controls.search.value = chosen.text;
  for (const [key, select] of Object.entries(controls.selects)) select.value = key === "order" ? chosen.order : chosen[key];
  filter();
}

function filter() {
  for (const b of controls.levels) b.setAttribute("aria-pressed", String(b.value === chosen.level));
  listed = findings.filter(fits);
  const by = orders[chosen.order].by;
  if (by) listed = listed.slice().sort(by);
  const any = chosen.level || chosen.text || facets.some((f) => chosen[f.key]);
  tally.textContent = any ? many(listed.length, "finding") + " of " + number(findings.length) : many(findings.length, "finding");
  clear.hidden = !any;
  growing = grow(list, foot, listed, row);
  if (listed.length === 0) {
    list.append(el("li", { className: "empty" }, findings.length === 0 ? "No faults were found." : "No finding fits these filters."));
  }
}

function row(f) {
  const detail = el("div", { className: "detail", id: "d-" + f.id, hidden: true });
  const button = el("button", { type: "button", "aria-expanded": "false", "aria-controls": "d-" + f.id, onclick: () => toggle(!item.classList.contains("open")) },
    el("span", { className: "level " + f.level, "aria-hidden": "true" }, f.level === "error" ? "×" : "!"),
    el("span", { className: "text" },
      el("span", { className: "title" }, el("span", { className: "code" }, f.code), words[f.title]),
      f.certainty === "certain" ? null : el("span", { className: "chip" }, f.certainty),
      f.recheck === "flaky" || f.recheck === "gone" ? el("span", { className: "chip" }, again[f.recheck]) : null,
      f.known ? el("span", { className: "chip" }, "known") : null,
      f.baseline === "new" ? el("span", { className: "chip new" }, "new") : null,
      el("span", { className: "gist" }, operationName(f.operation), f.got ? "  ·  " + f.got.slice(0, 240) : "")),
    el("span", { className: "side" }, el("b", {}, f.status ? String(f.status) : "none"), number(f.count) + " ×"));
  button.setAttribute("aria-label", f.level + " " + f.code + ": " + words[f.title] + ", " + f.operation);
  const item = el("li", { className: "finding", id: "f-" + f.id }, el("h3", {}, button), detail);
  function toggle(open) {
    item.classList.toggle("open", open);
    button.setAttribute("aria-expanded", String(open));
    detail.hidden = !open;
    if (open) opened.add(f.id);
    else opened.delete(f.id);
    if (open && !detail.hasChildNodes()) detail.append(...inFull(f));
  }
  item.toggle = toggle;
  item.finding = f;
  if (opened.has(f.id)) toggle(true);
  return item;
}

const curlOf = (f) => words[f.curl].replace(/[\u0001\u0002]/g, (c) => (c === "\u0001" ? f.request.body.text : text(f.request.url)));

// inFull is all that is known of a finding.
function inFull(f) {
  const o = operations.get(f.operation);
  const facts = el("dl", { className: "facts" });
  const fact = (name, value) => { if (value) facts.append(el("dt", {}, name), el("dd", {}, value)); };
  fact("Expected", words[f.expected]);
  fact("Got", f.got);
  fact("At", f.place ? el("code", {}, f.place) : "");
  fact("Breaks", f.breaks ? el("code", {}, f.breaks) : "");
  fact("Sent again", f.recheck === "confirmed" ? "confirmed: " + many(f.answers, "answer") + " showed it again"
    : f.recheck === "flaky" ? "flaky: " + number(f.shown) + " of " + many(f.answers, "answer") + " showed it again"
    : f.recheck === "gone" ? "gone: none of " + many(f.answers, "answer") + " showed it again" : "");
  fact("Known", f.known ? f.known.reason + (f.known.until ? ", until " + f.known.until : "") : "");
  fact("Shared", f.sharedBy ? many(f.sharedBy, "other operation") + (f.sharedBy === 1 ? " shows" : " show") + " the same" : "");
  const curl = curlOf(f);
  const copies = el("div", { className: "copies" },
    curl ? el("button", { className: "button", type: "button", "data-copy": "curl", onclick: () => copy("The curl command was", curl) }, "Copy as curl") : null,
    f.request ? el("button", { className: "button", type: "button", "data-copy": "http", onclick: () => copy("The request was", httpOf(f.request)) }, "Copy as HTTP") : null,
    el("button", { className: "button", type: "button", "data-copy": "issue", onclick: () => copy("The text of an issue was", issueOf(f)) }, "Copy as issue text"));
  const pair = el("div", { className: "pair" }, requestPane(f), replyPane(f));
  const parts = [facts, copies, pair];
  if (f.curlNote) parts.push(el("p", { className: "small" }, curl ? "About the curl command: " : "There is no curl command: ", f.curlNote, "."));
  parts.push(el("p", { className: "small" },
    "Seen " + many(f.count, "time") + (f.count > 1 ? ", from " + moment(f.firstSeen) + " to " + moment(f.lastSeen) : ", at " + moment(f.firstSeen)) +
    ". This is request " + number(f.seq) + " of the run (" + f.purpose + ", " + (f.probe ? "a security probe: " + f.probe + ", " : "") + (f.valid ? "it fits the document" : "it does not fit the document") + ")" +
    (o && o.declared.file ? "; the operation stands at " + place(o.declared) : "") + ". Finding ", el("code", {}, f.id), "."));
  if (f.masked?.length) parts.push(el("p", { className: "small" }, "Something secret was hidden in: " + f.masked.join(", ") + "."));
  if (f.hops?.length) {
    parts.push(el("p", { className: "small" }, "Redirects followed: " + f.hops.map((h) => text(h.method) + " " + text(h.target) + " (" + h.status + ")").join(" → ") + "."));
  }
  if (f.origins?.length) {
    parts.push(el("details", {}, el("summary", {}, "Where the values came from"),
      el("dl", { className: "facts small" }, f.origins.flatMap((g) => [el("dt", { className: "mono" }, text(g.place)), el("dd", {}, text(g.source))]))));
  }
  return parts;
}

const place = (p) => p.file + (p.line ? ":" + p.line + (p.column ? ":" + p.column : "") : "");
const fields = (header) => (header || []).map((i) => [text(fieldLines[i][0]), text(fieldLines[i][1])]);

// target parts an address into its host and what is asked of it.
function target(url) {
  const parts = /^[a-z]+:\/\/([^/?#]*)(.*)$/is.exec(url);
  return parts ? { host: parts[1], target: parts[2] || "/" } : { host: "", target: url };
}

function requestPane(f) {
  const pre = el("pre", { className: "http", tabindex: "0", "aria-label": "Request" });
  const m = f.request;
  if (m) {
    const at = target(text(m.url));
    pre.append(el("span", { className: "start" }, text(m.method) + " " + at.target), el("span", { className: "quiet" }, " HTTP/1.1"), "\n");
    pre.append(el("span", { className: "name" }, "Host: "), at.host, "\n");
    headerLines(pre, fields(m.header), null);
    contentLines(pre, m.body, null);
  } else if (report.shortened === 0) {
    pre.append(el("span", { className: "note" }, "Left out, so that this page stays small; report.json has it."));
  }
  return el("div", { className: "pane" }, el("h4", {}, "Request", el("span", {}, size(m?.body))), pre);
}

// The codes whose fault is in the content as a whole where they name no place in it.
const ofContent = new Set(["F200", "F105", "F309"]);

function replyPane(f) {
  const pre = el("pre", { className: "http", tabindex: "0", "aria-label": "Reply" });
  const m = f.reply;
  const inBody = f.place.startsWith("/");
  if (m) {
    const start = (text(m.proto) || "HTTP/1.1") + " " + m.status + (m.reason ? " " + text(m.reason) : "");
    const whole = !f.place && !ofContent.has(f.code) && !f.failure;
    pre.append(el(whole ? "mark" : "span", { className: "start" }, start), "\n");
    const lines = fields(m.header);
    headerLines(pre, lines, f.place && !inBody ? f.place : null);
    contentLines(pre, m.body, inBody ? f.place : !f.place && ofContent.has(f.code) ? "" : null);
    if (m.trailer) headerLines(pre, fields(m.trailer), null);
    if (m.undecodable) pre.append("\n", el("span", { className: "note" }, "Its content coding could not be taken off: " + text(m.undecodable)));
  } else if (report.shortened === 0) {
    pre.append(el("span", { className: "note" }, "Left out, so that this page stays small; report.json has it."));
  } else {
    pre.append(el("mark", {}, "No reply came"), f.failure ? ": " + text(f.failure) : "");
  }
  if (m && f.failure) pre.append("\n", el("mark", {}, "Then: " + text(f.failure)));
  return el("div", { className: "pane" }, el("h4", {}, "Reply", el("span", {}, [m ? "after " + span(f.took / 1e9 || 0) : "", size(m?.body)].filter(Boolean).join(", "))), pre);
}

const size = (body) => (body ? many(body.length, "byte") : "");

// headerLines writes field lines, and marks those of a name; where there is none it says so.
function headerLines(pre, lines, marked) {
  let found = false;
  for (const [name, value] of lines) {
    const here = marked !== null && name.toLowerCase() === marked.toLowerCase();
    found ||= here;
    const line = el(here ? "mark" : "span", {}, el("span", { className: "name" }, name + ": "), value);
    pre.append(line, "\n");
  }
  if (marked !== null && !found) pre.append(el("mark", {}, marked + " is missing"), "\n");
}

// contentLines writes content, and marks the member that a JSON pointer leads to; "" marks the whole.
function contentLines(pre, content, pointer) {
  if (!content) {
    if (pointer !== null) pre.append("\n", el("mark", {}, "There is no content"));
    return;
  }
  pre.append("\n");
  const body = content.base64 !== undefined ? decoded(content.base64) : content.text || "";
  const shown = document.createDocumentFragment();
  const laidOut = pretty(body, pointer);
  if (laidOut) shown.append(laidOut);
  else shown.append(body);
  if (pointer === "") pre.append(el("mark", { className: "whole" }, shown));
  else pre.append(shown);
  if (content.base64 !== undefined) pre.append("\n", el("span", { className: "note" }, "These bytes are not all text."));
  if (content.shortened || content.cut) pre.append("\n", el("span", { className: "note" }, "This is the beginning of " + many(content.length, "byte") + "."));
}

// deepest bounds how deep JSON is laid out.
const deepest = 100;

// pretty lays JSON out as it stands, numbers digit by digit, and marks the member at the pointer. It is null for what is
// no JSON.
function pretty(source, pointer) {
  const token = /\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:])/y;
  const next = () => {
    const m = token.exec(source);
    if (!m) throw new SyntaxError("no token");
    return m[1];
  };
  const peek = () => {
    const at = token.lastIndex, t = next();
    token.lastIndex = at;
    return t;
  };
  const line = (depth) => "\n" + "  ".repeat(depth);
  function value(into, path, depth) {
    if (depth > deepest) throw new RangeError("too deep");
    const t = next();
    if (t !== "{" && t !== "[") {
      if ("}],:".includes(t)) throw new SyntaxError("no value");
      into.append(el("span", { className: t[0] === '"' ? "s" : "v" }, t));
      return;
    }
    const object = t === "{", end = object ? "}" : "]";
    into.append(t);
    if (peek() === end) {
      next();
      into.append(end);
      return;
    }
    for (let i = 0; ; i++) {
      into.append(line(depth + 1));
      let raw = "", step = String(i);
      if (object) {
        raw = next();
        if (raw[0] !== '"' || next() !== ":") throw new SyntaxError("no member");
        step = JSON.parse(raw);
      }
      const at = path + "/" + step.replaceAll("~", "~0").replaceAll("/", "~1");
      const member = at === pointer ? el("mark", {}) : into;
      if (object) member.append(el("span", { className: "k" }, raw), ": ");
      value(member, at, depth + 1);
      if (member !== into) into.append(member);
      const after = next();
      if (after === end) break;
      if (after !== ",") throw new SyntaxError("no end");
      into.append(",");
    }
    into.append(line(depth), end);
  }
  const out = document.createDocumentFragment();
  try {
    value(out, "", 0);
    if (source.slice(token.lastIndex).trim() !== "") return null;
  } catch {
    return null;
  }
  return out;
}

// httpOf is a request as a message of HTTP/1.1.
function httpOf(m) {
  const at = target(text(m.url));
  const body = m.body ? (m.body.base64 !== undefined ? decoded(m.body.base64) : m.body.text) : "";
  const lines = [text(m.method) + " " + at.target + " HTTP/1.1", "Host: " + at.host, ...fields(m.header).map(([name, value]) => name + ": " + value)];
  if (m.body) lines.push("Content-Length: " + m.body.length);
  return lines.join("\n") + "\n\n" + body;
}

// fenced is a text in a code block of Markdown that it cannot end itself.
function fenced(body, language) {
  const longest = Math.max(2, ...(body.match(/`+/g) || []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return fence + (language || "") + "\n" + body + "\n" + fence;
}

// quoted is a text as code within a line of Markdown.
function quoted(words) {
  words = words.replace(/\s+/g, " ");
  const longest = Math.max(0, ...(words.match(/`+/g) || []).map((run) => run.length));
  const tick = "`".repeat(longest + 1);
  return longest ? tick + " " + words + " " + tick : tick + words + tick;
}

// issueOf is a finding as the text of an issue, in Markdown.
function issueOf(f) {
  const o = operations.get(f.operation);
  const m = f.reply;
  const lines = ["## " + f.code + ": " + words[f.title].replace(/\s+/g, " ").replace(/[\\`*_<>[\]#@]/g, "\\$&"), "",
    "- Operation: " + quoted(o ? o.method + " " + o.path : f.operation),
    "- Expected: " + quoted(words[f.expected] || "–"), "- Got: " + quoted(f.got || "–")];
  if (f.place) lines.push("- At: " + quoted(f.place));
  lines.push("- Seen " + many(f.count, "time") + " by " + report.tool.name + " " + report.tool.version + ", " + f.level + ", " + f.certainty + ", finding " + quoted(f.id), "");
  const curl = curlOf(f);
  if (curl) lines.push("To see it:", "", fenced(curl, "sh"), "");
  else if (f.request) lines.push("The request:", "", fenced(httpOf(f.request), "http"), "");
  if (m) {
    const body = m.body ? (m.body.base64 !== undefined ? decoded(m.body.base64) : m.body.text) : "";
    const start = (text(m.proto) || "HTTP/1.1") + " " + m.status + " " + text(m.reason);
    lines.push("The reply:", "", fenced([start.trim(), ...fields(m.header).map(([name, value]) => name + ": " + value), "", body].join("\n").trimEnd(), "http"), "");
  }
  if (f.failure) lines.push("Then: " + quoted(text(f.failure)), "");
  return lines.join("\n");
}

function showFindings() {
  const count = (level) => findings.reduce((n, f) => n + (f.level === level ? 1 : 0), 0);
  const levels = el("div", { className: "segments", role: "group", "aria-label": "Level" });
  for (const [value, name] of [["", "All"], ["error", "Errors " + number(count("error"))], ["warning", "Warnings " + number(count("warning"))]]) {
    const b = el("button", { type: "button", value, onclick: () => { chosen.level = value; filter(); } }, name);
    controls.levels.push(b);
    levels.append(b);
  }
  controls.search = el("input", { type: "search", id: "search", placeholder: "Words in all of it", autocomplete: "off", spellcheck: "false",
    oninput: () => { chosen.text = controls.search.value.toLowerCase(); clearTimeout(filter.timer); filter.timer = setTimeout(filter, findings.length > 500 ? 120 : 0); } });
  const filters = el("div", { className: "filters", role: "search", "aria-label": "Filter the findings" }, levels,
    el("label", { className: "search" }, "Search", controls.search));
  const select = (key, name, options) => {
    const s = el("select", { name: key, onchange: () => { chosen[key] = s.value; filter(); } }, options.map(([value, label]) => el("option", { value }, label)));
    const label = el("label", {}, name, s);
    if (controls.selects[key]) controls.selects[key].parentElement.replaceWith(label);
    else filters.append(label);
    controls.selects[key] = s;
  };
  // offer lets one choose among the values that findings have.
  const offer = (facet) => {
    chosen[facet.key] = "";
    const counts = new Map();
    for (const f of findings) {
      const v = facet.of(f);
      if (v) counts.set(v, (counts.get(v) || 0) + 1);
    }
    if (counts.size < 2) return;
    const label = facet.label || ((v) => v);
    select(facet.key, facet.name, [["", "Any"], ...[...counts].sort((a, b) => (a[0] < b[0] ? -1 : 1)).map(([v, n]) => [v, label(v) + " (" + number(n) + ")"])]);
  };
  facets.forEach(offer);
  if (findings.length > 1) select("order", "Order", Object.entries(orders).map(([key, o]) => [key, o.name]));
  const compared = el("span", { role: "status" });
  const baseline = el("input", { type: "file", id: "baseline", accept: ".json,application/json", onclick: () => { baseline.value = ""; }, onchange: async () => {
    if (!baseline.files.length) return;
    try {
      const earlier = JSON.parse(await baseline.files[0].text());
      if (!String(earlier.format).startsWith("restest-report/")) throw new TypeError("no report");
      const ids = new Set(earlier.findings.map((f) => f.id));
      for (const f of findings) f.baseline = ids.has(f.id) ? "still there" : "new";
      const here = new Set(findings.map((f) => f.id));
      const gone = earlier.findings.filter((f) => !here.has(f.id)).length, fresh = findings.filter((f) => f.baseline === "new").length;
      compared.textContent = number(fresh) + " new, " + number(findings.length - fresh) + " still there, " + number(gone) + " of the earlier report not seen";
      offer(facets.find((f) => f.key === "baseline"));
      filter();
    } catch {
      compared.textContent = "That is no report.json of this tool";
    }
  } });
  const left = report.limits.errorsLeftOut + report.limits.warningsLeftOut;
  const part = section("findings", "Findings", findings.length, null,
    findings.length ? filters : null,
    el("div", { className: "count" }, el("span", {}, tally, " ", clear),
      el("span", { className: "baseline" }, el("label", { className: "link", for: "baseline" }, "Compare with an earlier report.json"), baseline, " ", compared),
      findings.length ? el("span", { className: "keyboard" }, el("kbd", {}, "/"), " search  ", el("kbd", {}, "j"), " ", el("kbd", {}, "k"), " move  ", el("kbd", {}, "Enter"), " open  ", el("kbd", {}, "c"), " copy as curl") : null),
    list, foot);
  if (left > 0) part.append(el("p", { className: "small" }, many(left, "more finding") + " left out, as report.mostFindings is " + number(report.limits.mostFindings) + "."));
  if (report.shortened !== undefined) part.append(el("p", { className: "small" }, "So that this page stays small, texts longer than " + many(report.shortened, "byte") + " stand shortened here; report.json has them whole."));
  if (report.curlVariables.length) {
    part.append(el("p", { className: "small" }, "Commands and requests take keys from variables: ",
      report.curlVariables.map((v, i) => [i ? ", " : "", el("code", {}, v.name), " (" + v.meaning + ")"]), "."));
  }
  filter();
}

// --- keyboard -------------------------------------------------------------------------------------------------------

let at = -1; // the row that the keys have come to
let focusNext = false; // the search is to get the focus

function move(by) {
  const focused = document.activeElement?.closest?.(".finding");
  const rows = list.children;
  if (focused && focused.parentElement === list) at = [...rows].indexOf(focused);
  const to = Math.max(0, Math.min(listed.length - 1, at + by));
  if (to >= growing.shown()) growing.more(to + 1);
  at = to;
  const button = rows[to]?.querySelector("button");
  if (!button) return;
  button.focus({ preventScroll: true });
  button.scrollIntoView({ block: "nearest", behavior: "auto" });
}

function hear(e) {
  const typing = e.target.closest?.("input, select, textarea");
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (typing) {
    if (e.key === "Escape" && e.target === controls.search) {
      e.target.value = chosen.text = "";
      filter();
      e.target.blur();
    }
    return;
  }
  const current = document.activeElement?.closest?.(".finding");
  if (e.key === "/") focusNext = controls.search.isConnected; // once the key is let go, so that it is not typed there
  else if (e.key === "j") move(1);
  else if (e.key === "k") move(-1);
  else if (e.key === "c" && current) { const curl = curlOf(current.finding); if (curl) copy("The curl command was", curl); }
  else return;
  e.preventDefault();
}

// --- operations -----------------------------------------------------------------------------------------------------

const states = { tested: "tested", notReached: "never answered", notTestable: "cannot be tested" };

function showOperations() {
  const counts = new Map();
  for (const f of findings) {
    const c = counts.get(f.operation) || { error: 0, warning: 0 };
    c[f.level]++;
    counts.set(f.operation, c);
  }
  const ordered = {
    document: { name: "As documented", by: null },
    faults: { name: "Most errors", by: (a, b) => (counts.get(b.id)?.error || 0) - (counts.get(a.id)?.error || 0) || (counts.get(b.id)?.warning || 0) - (counts.get(a.id)?.warning || 0) },
    slow: { name: "Slowest", by: (a, b) => seconds(b.responseTimes?.p95) - seconds(a.responseTimes?.p95) },
    requests: { name: "Most requests", by: (a, b) => b.requests - a.requests },
  };
  const body = el("tbody", {});
  const end = el("div", {});
  const order = el("select", { onchange: () => fill() }, Object.entries(ordered).map(([key, o]) => el("option", { value: key }, o.name)));
  function fill() {
    const by = ordered[order.value].by;
    grow(body, end, by ? report.operations.slice().sort(by) : report.operations, (o) => {
      const c = counts.get(o.id);
      const cell = (className, name, ...children) => el("td", { className, "data-name": name }, ...children);
      return el("tr", {},
        el("td", { className: "wide" }, operationName(o.id), el("div", { className: "id" }, o.id)),
        o.state === "tested" ? el("td", { className: "states" }, bar(byClass(o.byClass, o.noReply), classes.map((k) => k.style), classes.map((k) => k.name)))
          : el("td", { className: "states why" }, states[o.state] || o.state, o.why ? ": " + o.why : ""),
        cell("number", "requests", number(o.requests)),
        cell("number" + (o.responseTimes ? "" : " blank"), "median", o.responseTimes ? span(seconds(o.responseTimes.p50)) : ""),
        cell("number" + (o.responseTimes ? "" : " blank"), "95%", o.responseTimes ? span(seconds(o.responseTimes.p95)) : ""),
        cell("number" + (o.waits ? "" : " blank"), "waits", o.waits ? number(o.waits) : ""),
        el("td", { className: "number" + (c ? "" : " blank") }, c ? el("button", { className: "link", type: "button",
          onclick: () => { choose({ operation: o.id }); document.getElementById("findings").scrollIntoView(); } },
          [c.error ? many(c.error, "error") : "", c.warning ? many(c.warning, "warning") : ""].filter(Boolean).join(", ")) : ""));
    });
  }
  const tested = report.operations.filter((o) => o.state === "tested").length;
  section("operations", "Operations", report.operations.length,
    number(tested) + " of " + many(report.operations.length, "operation") + " answered.",
    el("div", { className: "filters" }, el("label", {}, "Order", order)),
    el("div", { className: "card scroll" },
      el("table", { className: "operations" },
        el("thead", {}, el("tr", {}, ["Operation", "Replies", "Requests", "Median", "95%", "Waits", "Found"].map((h, i) => el("th", { scope: "col", className: i > 1 ? "number" : null }, h)))), body), end),
    keys(classes.map((k) => [k.style, k.name])));
  fill();
}

// --- the run over time ----------------------------------------------------------------------------------------------

const wall = seconds(report.engine.wallClock);
const width = seconds(report.run.bucketWidth) || 1;
// Stretches after the last request hold nothing but what was still under way.
const over = report.run.overTime.slice(0, report.run.overTime.findLastIndex((b) => b.requests > 0) + 1);
const waits = report.run.waits.map((w) => ({ who: w.operation, from: seconds(w.from), until: seconds(w.until), foreseen: w.foreseen }));
const charts = [];

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// union are spans without overlaps.
function union(spans) {
  const out = [];
  for (const s of spans.slice().sort((a, b) => a.from - b.from)) {
    const last = out[out.length - 1];
    if (last && s.from <= last.until) last.until = Math.max(last.until, s.until);
    else out.push({ from: s.from, until: s.until });
  }
  return out;
}

// chart makes a chart that is drawn as wide as its place, and anew when that or the colours change.
function chart(name, caption, height, options) {
  const plot = el("div", { className: "plot", role: "img", "aria-label": name + ". " + caption });
  plot.style.minHeight = height + "px";
  const c = { plot, u: null, draw() {
    c.u?.destroy();
    const o = options();
    c.u = new uPlot({ ...o.options, width: Math.max(plot.clientWidth, 240), height }, o.data, plot);
  } };
  charts.push(c);
  return el("figure", { className: "chart" }, el("h3", {}, name), el("figcaption", {}, caption), plot);
}

const axis = (more) => ({ stroke: color("--soft"), grid: { stroke: color("--line"), width: 1 }, ticks: { stroke: color("--line"), width: 1 }, font: "12px system-ui, sans-serif", ...more });
const steps = uPlot.paths.stepped({ align: 1 });
const clockTime = (s) => (wall >= 600 ? Math.floor(s / 60) + " min" : digits(s) + " s");

// bands draws the times of waiting behind a chart.
function bands() {
  const holds = waits.filter((w) => !w.who), rests = union(waits.filter((w) => w.who));
  return { hooks: { drawClear: (u) => {
    const { ctx, bbox } = u;
    ctx.save();
    for (const [spans, fill] of [[rests, "--rest"], [holds, "--hold"]]) {
      ctx.fillStyle = color(fill);
      for (const s of spans) {
        const from = u.valToPos(s.from, "x", true), until = u.valToPos(s.until, "x", true);
        ctx.fillRect(from, bbox.top, Math.max(1, until - from), bbox.height);
      }
    }
    ctx.restore();
  } } };
}

// level draws a dashed line at a height.
function level(at, label) {
  return { hooks: { draw: (u) => {
    const { ctx, bbox } = u;
    const y = u.valToPos(at, "y", true);
    if (!(y >= bbox.top)) return;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = color("--accent");
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.font = 12 * devicePixelRatio + "px system-ui, sans-serif";
    ctx.textAlign = "right";
    ctx.fillText(label, bbox.left + bbox.width - 6 * devicePixelRatio, y - 6 * devicePixelRatio);
    ctx.restore();
  } } };
}

function showTime() {
  const parts = [];
  const asked = seconds(report.toldToWait?.idle), rate = Math.min(seconds(report.engine.idleKeepingToTheRate), Math.max(0, seconds(report.engine.idle) - asked));
  const idle = seconds(report.engine.idle), own = Math.max(0, idle - asked - rate);
  const spent = [["t-send", "sending", Math.max(0, wall - idle)], ["t-ask", "waiting as the API asked", Math.min(asked, idle)], ["t-rate", "keeping to the rate", rate], ["t-own", "idle otherwise", own]].filter((s) => s[2] > 0);
  if (wall > 0) {
    parts.push(el("div", { className: "card padded" }, el("h3", {}, "How the time was spent"),
      bar(spent.map((s) => s[2]), spent.map((s) => s[0]), spent.map((s) => s[1]), true),
      keys(spent.map((s) => [s[0], s[1] + " " + span(s[2]) + ", " + percent(s[2], wall)]))));
  }
  const interval = seconds(report.engine.promisedInterval);
  if (over.length > 0) {
    const xs = over.map((b) => seconds(b.at)).concat(seconds(over[over.length - 1].at) + width);
    const xRange = () => [0, xs[xs.length - 1]];
    const time = (u, splits) => splits.map(clockTime);
    const counts = over.map((b) => byClass(b.byClass, b.noReply).map((n) => n / width));
    const used = classes.map((_, k) => k).filter((k) => counts.some((c) => c[k] > 0));
    const last = (ys) => ys.concat(ys[ys.length - 1]);
    const perSecond = (v) => (v === null || v === undefined ? "–" : digits(v));
    parts.push(el("div", { className: "card padded" }, chart("Requests a second", "By how they ended" + (interval ? "; the dashed line is the rate that is promised" : "") + (waits.length ? ". Shaded: some operation waited; darker: the whole API" : "") + ".", 260, () => ({
      data: [xs, ...used.map((k, i) => last(counts.map((c) => used.slice(0, i + 1).reduce((sum, j) => sum + c[j], 0)))).reverse()],
      options: {
        padding: [12, 20, 0, 0], cursor: { sync: { key: "time" }, drag: { x: false, y: false }, points: { show: false } },
        scales: { x: { time: false, range: xRange }, y: { range: (u, min, max) => [0, Math.max(max, interval ? 1 / interval : 0, 1e-3) * 1.12] } },
        axes: [axis({ values: time }), axis({ size: 58 })],
        series: [{ label: "at", value: (u, v) => (v === null ? "–" : clockTime(v)) }, ...used.map((k) => ({ label: classes[k].name, fill: color(classes[k].color), stroke: color(classes[k].color), width: 0, paths: steps, points: { show: false },
          value: (u, v, s, i) => (i === null ? "–" : perSecond(counts[Math.min(i, counts.length - 1)][k])) })).reverse()],
        plugins: [bands(), ...(interval ? [level(1 / interval, "promised: one each " + span(interval))] : [])],
      },
    }))));
    const flights = over.map((b) => b.inFlight);
    parts.push(el("div", { className: "card padded" }, chart("In flight", "Requests under way, on average; " + number(report.engine.peakConcurrency) + " at the peak, " + number(report.engine.concurrencyLimit) + " at most.", 160, () => ({
      data: [xs, last(flights)],
      options: {
        padding: [12, 20, 0, 0], cursor: { sync: { key: "time" }, drag: { x: false, y: false }, points: { show: false } },
        scales: { x: { time: false, range: xRange }, y: { range: (u, min, max) => [0, Math.max(max, 1e-3) * 1.12] } },
        axes: [axis({ values: time }), axis({ size: 58 })],
        series: [{ label: "at", value: (u, v) => (v === null ? "–" : clockTime(v)) }, { label: "in flight", stroke: color("--accent"), width: 2, paths: steps, points: { show: false }, value: (u, v) => perSecond(v) }],
        plugins: [bands()],
      },
    }))));
  }
  if (waits.length) parts.push(lanes());
  if (report.engine.gaps) parts.push(gaps(interval));
  if (!parts.length) return;
  section("time", "Over time", null, "The run began at " + new Date(report.run.started).toLocaleString("en-GB", { dateStyle: "long", timeStyle: "medium" }) + " and sent for " + span(wall) + " of " + span(seconds(report.run.budget)) + ". Seed " + report.run.seed + ".",
    el("div", { className: "stack" }, parts));
}

// lanes shows who was left alone and when, those that waited longest first.
function lanes() {
  const most = 12;
  const parties = new Map();
  for (const w of waits) {
    const p = parties.get(w.who) || { who: w.who, spans: [], lasted: 0 };
    p.spans.push(w);
    p.lasted += w.until - w.from;
    parties.set(w.who, p);
  }
  const sorted = [...parties.values()].sort((a, b) => (a.who === "" ? -1 : b.who === "" ? 1 : b.lasted - a.lasted));
  const end = Math.max(wall, ...waits.map((w) => w.until)) || 1;
  const rows = sorted.slice(0, most).map((p) => {
    const track = el("div", { className: "track", role: "img", "aria-label": many(p.spans.length, "wait") + ", " + span(p.lasted) + " together" });
    for (const s of p.spans) {
      const i = el("i", { className: s.foreseen ? "foreseen" : null, title: digits(s.from) + " s to " + digits(s.until) + " s" });
      i.style.left = (100 * s.from) / end + "%";
      i.style.width = (100 * (s.until - s.from)) / end + "%";
      track.append(i);
    }
    return el("div", { className: "lane" }, el("span", { className: "who", title: p.who || "the whole API" }, p.who || "The whole API"), track, el("span", { className: "long" }, span(p.lasted)));
  });
  const notes = [];
  if (sorted.length > most) notes.push(many(sorted.length - most, "more operation") + " waited for " + span(sorted.slice(most).reduce((s, p) => s + p.lasted, 0)) + ".");
  if (report.limits.waitsLeftOut) notes.push(many(report.limits.waitsLeftOut, "shorter wait") + " left out.");
  if (waits.some((w) => w.foreseen)) notes.push("Hatched: nobody asked for it; the API had said that nothing was left.");
  return el("div", { className: "card padded" }, el("h3", {}, "Who was left alone"),
    el("div", { className: "lanes" }, rows), notes.length ? el("p", { className: "small" }, notes.join(" ")) : null);
}

// gaps shows how long the times between two requests were, against the promise.
function gaps(interval) {
  let all = report.engine.gaps.map((g) => ({ from: seconds(g.from), until: g.until ? seconds(g.until) : null, count: g.count }));
  const filled = all.map((g) => g.count > 0);
  const promise = all.findIndex((g) => g.from >= interval);
  const first = Math.max(0, Math.min(filled.indexOf(true), promise - 1)), last = Math.max(filled.lastIndexOf(true), promise);
  all = all.slice(first, last + 1);
  const most = Math.max(1, ...all.map((g) => g.count)), sum = all.reduce((s, g) => s + g.count, 0);
  const early = all.filter((g) => g.from < interval).reduce((s, g) => s + g.count, 0);
  const rows = [];
  for (const g of all) {
    if (g.from >= interval && !rows.some((r) => r.className === "promise")) rows.push(el("div", { className: "promise" }, "promised: " + span(interval) + " at least"));
    const i = el("i", {});
    i.style.width = "calc((100% - 9rem) * " + g.count / most + ")";
    rows.push(el("div", { className: g.from < interval ? "gap early" : "gap" },
      el("span", { className: "span" }, g.until === null ? span(g.from) + " and more" : span(g.from) + " – " + span(g.until)),
      el("span", { className: "amount" }, g.count ? i : null, g.count ? number(g.count) + ", " + percent(g.count, sum) : "–")));
  }
  return el("div", { className: "card padded chart" }, el("h3", {}, "The gaps between two requests"),
    el("p", { className: "lead" }, early ? many(early, "gap") + " shorter than promised. " : "None is shorter than promised. ",
      report.engine.shortestGap ? "The shortest was " + span(seconds(report.engine.shortestGap)) + "; " : "", number(report.engine.turnsUsed) + " of " + many(report.engine.turnsDue, "turn") + " used."),
    el("div", { className: "gaps" }, rows));
}

function showResponseTimes() {
  const t = report.engine.responseTimes;
  if (!t) return;
  const spread = report.engine.responseTimesSpread.map((b) => ({ from: seconds(b.from), until: seconds(b.until), count: b.count }));
  const marks = [["50%", seconds(t.p50)], ["95%", seconds(t.p95)], ["99%", seconds(t.p99)]];
  const xs = [], ys = [];
  let last = null;
  for (const b of spread) {
    const from = Math.max(b.from, 1e-6);
    if (last !== null && from > last * 1.0001) { xs.push(last); ys.push(0); }
    xs.push(from);
    ys.push(b.count / Math.log2(b.until / from)); // so that a bar's area is its count
    last = b.until;
  }
  xs.push(last);
  ys.push(0);
  const lines = { hooks: { draw: (u) => {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.font = 12 * devicePixelRatio + "px system-ui, sans-serif";
    ctx.lineWidth = 1.5 * devicePixelRatio;
    marks.forEach(([name, at], i) => {
      const x = u.valToPos(at, "x", true);
      ctx.strokeStyle = ctx.fillStyle = color("--accent");
      ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      const right = x > bbox.left + bbox.width * 0.8;
      ctx.textAlign = right ? "right" : "left";
      ctx.fillText(name, x + (right ? -5 : 5) * devicePixelRatio, bbox.top + (12 + 15 * i) * devicePixelRatio);
    });
    ctx.restore();
  } } };
  const entries = [["fastest", t.least], ["50%", t.p50], ["90%", t.p90], ["95%", t.p95], ["99%", t.p99], ["slowest", t.most], ["mean", report.engine.meanResponseTime]];
  section("response-times", "Response times", null, "From the write of a request to the header of its reply, of " + many(t.count, "reply", "replies") + ". So many percent took no longer than:",
    el("div", { className: "card padded" }, el("dl", { className: "percentiles" }, entries.map(([name, v]) => el("div", {}, el("dt", {}, name), el("dd", {}, span(seconds(v)))))),
      chart("How they are spread", "Replies by their response time, each order of magnitude as wide as another. The area is their number.", 220, () => ({
        data: [xs, ys],
        options: {
          padding: [12, 20, 0, 0], legend: { show: false }, cursor: { show: false },
          scales: { x: { time: false, distr: 3, range: () => [xs[0] / 1.1, xs[xs.length - 1] * 1.1] }, y: { range: (u, min, max) => [0, Math.max(max, 1) * 1.1] } },
          axes: [axis({ values: (u, splits) => splits.map((s) => (s && Math.abs(Math.log10(s) - Math.round(Math.log10(s))) < 1e-6 ? span(s) : "")) }), { show: false }],
          series: [{}, { stroke: color("--c2"), fill: color("--c2"), width: 0, paths: steps, points: { show: false } }],
          plugins: [lines],
        },
      }))));
}

// --- what else there is to say --------------------------------------------------------------------------------------

function figures() {
  const t = report.totals, tested = report.operations.filter((o) => o.state === "tested").length;
  const held = report.toldToWait ? report.toldToWait.wholeApi.times : 0;
  const told = (report.toldToWait?.operations || []).reduce((n, o) => n + o.waits, 0);
  const entries = [
    ["errors", number(t.errors), t.warnings ? many(t.warnings, "warning") + " besides" : "no warnings"],
    ["operations answered", number(tested), "of " + number(report.operations.length)],
    ["requests", number(t.requests), "in " + span(wall)],
    ["replies of 2xx", percent(t.byClass["2xx"], t.requests), number(t.byClass["2xx"])],
    ["median response time", report.engine.responseTimes ? span(seconds(report.engine.responseTimes.p50)) : "–", report.engine.responseTimes ? "99%: " + span(seconds(report.engine.responseTimes.p99)) : ""],
    ["told to wait", number(told + held) + " ×", held ? "the whole API " + number(held) + " ×" : "never the whole API"],
  ];
  document.getElementById("figures").append(...entries.map(([name, value, more]) => el("div", {}, el("dt", {}, name), el("dd", {}, value), more ? el("dd", { className: "more-of-it" }, more) : null)));
}

function notices() {
  const notes = [];
  if (report.simulated) {
    const s = report.simulated;
    notes.push("Nothing was sent: this run was on paper. " + many(s.replies, "reply", "replies") + " from " + s.from + ", " + number(s.invented) + " of them invented." + s.notes.map((n) => " " + n).join(""));
  }
  if (report.cutShort) notes.push("The run did not go to its own end.");
  if (report.end.why !== "deadline" && report.end.reason) notes.push("Sending stopped after " + span(seconds(report.end.after)) + ": " + report.end.reason + ".");
  if (report.keysNotGiven.length) notes.push("No key was given for: " + report.keysNotGiven.join(", ") + ".");
  for (const s of report.signIns || []) if (s.failure) notes.push("Signing in" + (s.user ? " as " + s.user : "") + " (" + s.request + ") failed: " + s.failure + ".");
  if (report.unauthorized.operationsWithOnly401.length) notes.push("Answered nothing but 401: " + report.unauthorized.operationsWithOnly401.slice(0, 10).join(", ") + (report.unauthorized.operationsWithOnly401.length > 10 ? " and " + (report.unauthorized.operationsWithOnly401.length - 10) + " more" : "") + ".");
  document.getElementById("notices").append(...(notes.length ? [el("ul", { className: "notice" }, notes.map((n) => el("li", {}, n)))] : []));
}

const plain = (items) => el("ul", { className: "plain card" }, items);

// folded is a list that shows its first items at once and the others on demand.
function folded(items, row) {
  const ul = el("ul", { className: "plain" }), end = el("div", {});
  const card = el("div", { className: "card" }, ul, end);
  grow(ul, end, items, row, true);
  return card;
}

function showUntested() {
  const left = report.operations.filter((o) => o.state !== "tested");
  const unread = report.foreseen?.unread || [];
  const parts = [];
  if (left.length) {
    parts.push(el("div", {}, el("h3", {}, "Operations that were not tested"), folded(left, (o) => el("li", {}, operationName(o.id), el("span", { className: "why" }, "  ", states[o.state] || o.state, o.why ? ": " + o.why : "")))));
  }
  if (report.unjudged.length) {
    parts.push(el("div", {}, el("h3", {}, "Replies that could not be judged"), plain(report.unjudged.map((u) => el("li", {}, u.reason, el("span", { className: "chip" }, number(u.count) + " ×"))))));
  }
  if (unread.length) {
    parts.push(el("div", {}, el("h3", {}, "What was said of quotas and not believed"), plain(unread.map((u) => el("li", {}, u.reason, el("span", { className: "chip" }, number(u.count) + " ×"))))));
  }
  section("untested", "Not tested", left.length, parts.length ? null : "Every operation was tested, and every reply that the document says something of was judged.", parts.length ? el("div", { className: "two stack" }, parts) : null);
}

// showLearned shows what refusals asked for, what dictionaries gave, and what the run left behind.
function showLearned() {
  const parts = [];
  const titled = (name, content) => parts.push(el("div", {}, el("h3", {}, name), content));
  if (report.learned.length) {
    titled("What refusals asked for", folded(report.learned, (l) => el("li", {}, operationName(l.operation), ": ", el("code", {}, l.place), " " + l.wants,
      el("span", { className: "at" }, "followed by " + many(l.followed, "request") + ", of which " + number(l.accepted) + " were accepted"))));
  }
  if (report.dictionaries.length) {
    titled("Dictionaries", plain(report.dictionaries.map((d) => el("li", {}, d.name + ": " + many(d.values, "value") + ", sent " + many(d.used, "time"),
      el("span", { className: "at" }, d.file), d.notUsed.slice(0, 20).map((n) => el("div", { className: "why" }, n))))));
  }
  const left = report.cleanUp?.left || [];
  if (left.length) {
    titled("Left behind", folded(left, (t) => el("li", {}, el("code", {}, t.address), el("span", { className: "at" }, "made by " + t.madeBy + (t.why ? "; " + t.why : "")))));
  }
  if (!parts.length && !report.cleanUp) return;
  section("learned", "Learned and left", report.learned.length + left.length + (report.cleanUp?.more || 0),
    report.cleanUp ? "Of " + many(report.cleanUp.made, "thing") + " that the run made and knew how to delete, " + number(report.cleanUp.deleted) + " were deleted." : null,
    parts.length ? el("div", { className: "two stack" }, parts) : null);
}

function showSettings() {
  const given = report.settings.filter((s) => s.value !== s.default);
  const body = el("tbody", {}, given.map((s) => el("tr", {}, el("td", { className: "mono wide" }, s.name), el("td", { className: "mono wide" }, s.value), el("td", { className: "mono wide" }, s.default), el("td", {}, s.origin + (s.where ? ", " + s.where : "")))));
  section("settings", "Settings", given.length, given.length ? "Those that are not at their defaults." : "All are at their defaults.",
    given.length ? el("div", { className: "card scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ["Setting", "Value", "Default", "From"].map((h) => el("th", { scope: "col" }, h)))), body)) : null,
    report.keysUsed.length ? el("p", { className: "small" }, "Keys in use: " + report.keysUsed.join(", ") + ".") : null);
}

function showDocument() {
  const issues = report.documentIssues;
  section("document", "Document", issues.length, report.api.source + ", OpenAPI " + report.api.dialect + ". " + (issues.length ? "What is wrong with it:" : "Nothing is wrong with it."),
    issues.length ? folded(issues, (i) => el("li", {}, el("span", { className: "at" }, place(i) + (i.pointer ? "  " + i.pointer : "")), i.message, i.severity ? el("span", { className: "chip" }, i.severity) : null)) : null,
    report.limits.documentIssuesLeftOut ? el("p", { className: "small" }, many(report.limits.documentIssuesLeftOut, "more problem") + ": restest document lists all.") : null);
}

function showOwnFailures() {
  if (!report.ownFailures.length) return;
  section("own-failures", "The tool's own failures", report.ownFailures.length, "What went wrong in " + report.tool.name + " itself. Please report it.",
    plain(report.ownFailures.map((f) => el("li", {}, f.message, f.count > 1 ? el("span", { className: "chip" }, number(f.count) + " ×") : null))));
}

// --- all of it ------------------------------------------------------------------------------------------------------

notices();
figures();
showOwnFailures();
showFindings();
showOperations();
showTime();
showResponseTimes();
showUntested();
showLearned();
showSettings();
showDocument();

document.addEventListener("keydown", hear);
document.addEventListener("keyup", () => {
  if (focusNext) controls.search.focus();
  focusNext = false;
});

const drawAll = () => { for (const c of charts) c.draw(); };
drawAll();
let drawnAt = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === drawnAt) return;
  drawnAt = innerWidth;
  clearTimeout(drawAll.timer);
  drawAll.timer = setTimeout(drawAll, 100);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);

// What is printed is light, and has its findings in full.
let toClose = [];
addEventListener("beforeprint", () => {
  document.documentElement.classList.add("printing");
  growing.more(mostPrinted);
  toClose = [...list.children].slice(0, mostPrinted).filter((i) => i.toggle && !i.classList.contains("open"));
  for (const i of toClose) i.toggle(true);
  drawAll();
});
addEventListener("afterprint", () => {
  document.documentElement.classList.remove("printing");
  for (const i of toClose) i.toggle(false);
  drawAll();
});

// The part that is looked at is marked in the list of parts.
const links = new Map([...document.querySelectorAll("#parts a")].map((a) => [a.getAttribute("href").slice(1), a]));
const watch = new IntersectionObserver((seen) => {
  for (const s of seen) {
    if (!s.isIntersecting) continue;
    for (const a of links.values()) a.removeAttribute("aria-current");
    links.get(s.target.id)?.setAttribute("aria-current", "true");
  }
}, { rootMargin: "-20% 0px -70% 0px" });
for (const id of links.keys()) watch.observe(document.getElementById(id));

// A link to a finding opens it.
function followHash() {
  const id = /^#f-([0-9a-f]+)$/.exec(location.hash)?.[1];
  const i = id ? listed.findIndex((f) => f.id === id) : -1;
  if (i < 0) return;
  if (i >= growing.shown()) growing.more(i + 1);
  list.children[i].toggle(true);
  list.children[i].scrollIntoView();
}
addEventListener("hashchange", followHash);
followHash();
document.documentElement.dataset.ready = "true";
})();
