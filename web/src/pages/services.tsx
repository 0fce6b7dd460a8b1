import { useEffect, useRef, useState } from "preact/hooks";

import { get, send } from "../api/client";
import { useResource } from "../api/resource";
import { toNumber, type Digits } from "../json";
import { Trouble } from "../parts/notice";
import { sayProblem } from "../parts/toast";

// What one can do to the simulated services while all runs: let them fail, be slow, and be busy.

type Values = Record<string, number | Digits>;

interface Knob {
  setting: string;
  title: string;
  hint: string;
  /// The values that the slider's places stand for; the first is a perfect service's.
  places: number[];
  text: (value: number) => string;
  spoken: (value: number) => string;
}

const steps = (most: number, step: number) => Array.from({ length: Math.round(most / step) + 1 }, (_, place) => place * step);

const knobs: Knob[] = [
  {
    setting: "failure-rates",
    title: "Failures",
    hint: "How many of its calls a service fails, before they change anything.",
    places: steps(100, 5).map((percent) => percent / 100),
    text: (rate) => `${Math.round(rate * 100)}%`,
    spoken: (rate) => `${Math.round(rate * 100)} of 100 calls fail`,
  },
  {
    setting: "latencies",
    title: "Latency",
    hint: "How late it answers. Calls wait 2 seconds, for SMTP 5; what comes later took effect, and nobody heard of it.",
    places: steps(4000, 100),
    text: (time) => (time === 0 ? "0 ms" : time < 1000 ? `${time} ms` : `${(time / 1000).toFixed(1)} s`),
    spoken: (time) => `${time} milliseconds`,
  },
  {
    setting: "rate-limits",
    title: "Rate limit",
    hint: "How many calls it takes a second. To more it answers 429, with Retry-After.",
    places: [0, 100, 50, 20, 10, 5, 2, 1],
    text: (limit) => (limit === 0 ? "none" : `${limit}/s`),
    spoken: (limit) => (limit === 0 ? "no limit" : `${limit} calls a second`),
  },
];

const groups = [
  {
    title: "Steps",
    rows: [
      { action: "inventory.reserve", text: "Reserve stock" },
      { action: "fraudCheck.check", text: "Check for fraud" },
      { action: "shipping.domestic.create", text: "Ship, domestic" },
      { action: "shipping.international.create", text: "Ship, international" },
      { action: "billing.charge", text: "Charge a card" },
      { action: "highValue.process", text: "Charge a risky card" },
      { action: "notifications.send", text: "Notify" },
    ],
  },
  {
    title: "Undoing them",
    rows: [
      { action: "inventory.release", text: "Release stock" },
      { action: "shipping.domestic.cancel", text: "Cancel, domestic" },
      { action: "shipping.international.cancel", text: "Cancel, international" },
      { action: "billing.refund", text: "Refund a card" },
      { action: "highValue.cancel", text: "Refund a risky card" },
    ],
  },
  {
    title: "Mail, in order of preference",
    rows: [
      { action: "mail.first", text: "First provider" },
      { action: "mail.second", text: "Second provider" },
      { action: "mail.smtp", text: "SMTP server" },
    ],
  },
];
const actions = groups.flatMap((group) => group.rows.map((row) => row.action));

/// One setting of all services: what the simulators say, under what was moved here and not yet confirmed.
function useSetting(setting: string) {
  const known = useResource(setting, (signal) => get<Values>(`/api/simulators/${setting}`, signal), 4000);
  const [mine, setMine] = useState<Values>({});
  const unsent = useRef<Values>({});
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const { at, reload } = known;
  useEffect(() => {
    if (Object.keys(unsent.current).length === 0) {
      setMine({});
    }
  }, [at]);
  const put = (changes: Values) => {
    setMine((old) => ({ ...old, ...changes }));
    unsent.current = { ...unsent.current, ...changes };
    clearTimeout(timer.current);
    // A slider that is dragged says a hundred things; the service is told the last.
    timer.current = setTimeout(() => {
      const sent = unsent.current;
      unsent.current = {};
      send("PUT", `/api/simulators/${setting}`, sent)
        .catch((problem: unknown) => {
          setMine({});
          sayProblem(problem);
        })
        .finally(reload);
    }, 120);
  };
  const valueOf = (action: string) => toNumber(mine[action] ?? known.data?.[action] ?? 0);
  return { put, valueOf, changed: actions.filter((action) => valueOf(action) > 0).length, problem: known.problem, at };
}

export function Services() {
  const settings = { "failure-rates": useSetting("failure-rates"), latencies: useSetting("latencies"), "rate-limits": useSetting("rate-limits") };
  const [turned, setTurned] = useState(knobs[0]);
  const knob = turned as Knob;
  const settingOf = (one: Knob) => settings[one.setting as keyof typeof settings];
  const setting = settingOf(knob);
  const anyChanged = knobs.some((one) => settingOf(one).changed > 0);
  return (
    <section class="card" aria-label="The services">
      <header>
        <h2>The services</h2>
        <button
          type="button"
          class="button bare small"
          disabled={!anyChanged}
          onClick={() => {
            for (const one of knobs) {
              settingOf(one).put(Object.fromEntries(actions.map((action) => [action, 0])));
            }
          }}
        >
          All perfect
        </button>
      </header>
      <div class="body stack">
        <div class="chips fit" role="group" aria-label="What to change">
          {knobs.map((one) => (
            <button key={one.setting} type="button" class="chip" aria-pressed={one === knob} onClick={() => setTurned(one)}>
              {one.title}
              {settingOf(one).changed > 0 ? <span class="figure">{settingOf(one).changed}<span class="hidden-text"> changed</span></span> : null}
            </button>
          ))}
        </div>
        <p class="small soft knob-hint">{knob.hint}</p>
        <Trouble problem={setting.problem} at={setting.at} />
        {groups.map((group) => (
          <div key={group.title} class="stack tight" role="group" aria-label={group.title}>
            <h3 class="soft">{group.title}</h3>
            {group.rows.map((row) => (
              <Slider key={`${knob.setting} ${row.action}`} knob={knob} action={row.action} text={row.text} value={setting.valueOf(row.action)} put={setting.put} />
            ))}
          </div>
        ))}
      </div>
    </section>
  );
}

function Slider({ knob, action, text, value, put }: { knob: Knob; action: string; text: string; value: number; put: (changes: Values) => void }) {
  return (
    <label class="slider">
      <span>{text}</span>
      <input
        type="range"
        min={0}
        max={knob.places.length - 1}
        step={1}
        name={action}
        value={nearest(knob.places, value)}
        aria-valuetext={knob.spoken(value)}
        onInput={(event) => put({ [action]: knob.places[Number(event.currentTarget.value)] ?? 0 })}
      />
      <output class={value > 0 ? "is-bad coloured" : "faint"}>{knob.text(value)}</output>
    </label>
  );
}

/// The place of a value, which somebody else may have set to one between the places.
function nearest(places: number[], value: number): number {
  return places.reduce((best, place, index) => (Math.abs(place - value) < Math.abs((places[best] ?? 0) - value) ? index : best), 0);
}
