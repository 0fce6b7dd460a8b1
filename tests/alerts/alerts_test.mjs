// The alerts and the board name only series that exist, in expressions that Prometheus' own grammar takes. That
// docs/metrics.md lists exactly the series of the page is held by metrics_test.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { parser } from "@prometheus-io/lezer-promql";
import { load } from "js-yaml";

const read = (name) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");

/// Each series of the table with its type and labels.
function documented() {
  const series = new Map();
  for (const [, name, type, labels] of read("metrics.md").matchAll(/^\| `(sagabox_\w+)` \| (\w+)[^|]*\|([^|]*)\|/gm)) {
    series.set(name, { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label) });
  }
  return series;
}

/// What an expression names, as a list of problems with it.
function problemsOf(expression, series) {
  // Grafana fills these in before it asks.
  const text = expression.replaceAll("$__rate_interval", "5m").replaceAll("$job", "sagabox");
  const problems = [];
  let named = 0;
  parser.parse(text).iterate({
    enter(node) {
      const words = text.slice(node.from, node.to);
      if (node.type.isError) {
        problems.push(`no PromQL at '${text.slice(node.from, node.from + 20)}'`);
      }
      if (node.name === "VectorSelector") {
        named += 1;
        problems.push(...problemsOfSelector(words, series));
      }
    },
  });
  if (named === 0) {
    problems.push("names no series");
  }
  return problems;
}

function problemsOfSelector(words, series) {
  const [, name, matchers = ""] = /^(\w+)\s*(?:\{(.*)\})?$/s.exec(words) ?? [];
  const histogram = /^(.*)_(bucket|sum|count)$/.exec(name ?? "");
  const known = series.get(name) ?? (histogram && series.get(histogram[1]));
  if (!known) {
    return [`there is no series '${name}'`];
  }
  if ((known.type === "histogram") !== (histogram !== null)) {
    return [`'${name}' is a ${known.type}`];
  }
  const labels = [...known.labels, "job", "instance", "le"];
  return [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)]
    .filter(([, label]) => !labels.includes(label))
    .map(([, label]) => `'${name}' has no label '${label}'`);
}

test("the table lists series", () => {
  assert.ok(documented().size > 20);
  assert.deepEqual(documented().get("sagabox_calls_total"), { type: "counter", labels: ["destination", "direction", "outcome"] });
});

test("every alert can be read and names series that exist", () => {
  const series = documented();
  const alerts = load(read("alerts.yml")).groups.flatMap((group) => group.rules);
  const names = alerts.map((rule) => rule.alert);
  assert.equal(new Set(names).size, names.length);
  for (const rule of alerts) {
    assert.deepEqual(problemsOf(rule.expr, series), [], rule.alert);
    assert.ok(["page", "ticket"].includes(rule.labels.severity), rule.alert);
    assert.ok(rule.annotations.summary && rule.annotations.description, rule.alert);
    assert.match(rule.for ?? "1m", /^\d+[smh]$/);
  }
  for (const wanted of ["EventsWait", "LettersNeedPerson", "DestinationDown", "ListenerDeaf", "LeasesLost"]) {
    assert.ok(names.includes(`Sagabox${wanted}`), wanted);
  }
});

test("every panel of the board asks for series that exist", () => {
  const series = documented();
  const board = JSON.parse(read("grafana.json"));
  const ids = board.panels.map((panel) => panel.id);
  assert.equal(new Set(ids).size, ids.length);
  const asked = new Set();
  for (const panel of board.panels) {
    assert.ok(panel.targets.length > 0, panel.title);
    for (const target of panel.targets) {
      assert.deepEqual(problemsOf(target.expr, series), [], `${panel.title}: ${target.expr}`);
      for (const [name] of target.expr.matchAll(/sagabox_\w+/g)) {
        asked.add(name.replace(/_(bucket|sum|count)$/, ""));
      }
    }
  }
  assert.ok(asked.size > 15, [...asked].join(" "));
});

test("what is wrong is found", () => {
  const series = documented();
  assert.notDeepEqual(problemsOf("sagabox_no_such_thing > 1", series), []);
  assert.notDeepEqual(problemsOf('sagabox_listening{destination="a"} > 1', series), []);
  assert.notDeepEqual(problemsOf("sum by (a (sagabox_listening)", series), []);
  assert.notDeepEqual(problemsOf("sagabox_call_duration_seconds > 1", series), []);
  assert.notDeepEqual(problemsOf("sagabox_listening_bucket > 1", series), []);
  assert.notDeepEqual(problemsOf("1 > 0", series), []);
});
