import { useEffect, useRef, useState } from "preact/hooks";

import { get, query } from "../api/client";
import type { Mail, MailStats, Page } from "../api/forms";
import { useResource } from "../api/resource";
import { capital, count, visible } from "../format";
import { useChanges } from "../live";
import { Icon } from "../parts/icon";
import { Empty, Loading, Trouble } from "../parts/notice";
import { Pill, wordOf } from "../parts/status";
import { Ago, Until } from "../parts/time";
import { go, withQuery, type Place } from "../router";
import { WriteDialog } from "./write_mail";

const statuses = ["", "NOT_YET_SENT", "IN_PROCESS", "REQUIRED_RESEND", "SUCCESS_SENT", "FAILED_NOT_RETRYABLE", "FAILED_RETRIES_EXHAUSTED"];

export function MailPage({ place }: { place: Place }) {
  const status = place.query.get("status") ?? "";
  const text = place.query.get("search") ?? "";
  const [writing, setWriting] = useState(false);
  const [older, setOlder] = useState<Page<Mail>[]>([]);
  // Whoever has an address asks by it; anything else is taken for a correlation id.
  const filters = { status, ...(text === "" ? {} : text.includes("@") ? { recipient: text } : { correlationId: text }) };
  const key = JSON.stringify(filters);
  const first = useResource(`mail ${key}`, (signal) => get<Page<Mail>>("/api/emails" + query({ ...filters, limit: 100 }), signal), 5000);
  const stats = useResource("mail stats", (signal) => get<MailStats>("/api/emails/stats", signal), 5000);
  useEffect(() => setOlder([]), [key]);
  useChanges((change) => {
    if (change === "everything" ? first.data !== undefined : change.emails.length > 0) {
      first.reload();
    }
  });
  const mails = [...(first.data?.items ?? []), ...older.flatMap((page) => page.items)];
  const next = older.length > 0 ? older.at(-1)?.next : first.data?.next;
  const missing = stats.data?.configured === false && mails.length === 0;
  const numbers = new Map(Object.entries(stats.data?.messages ?? {}));
  return (
    <>
      <header class="page-head">
        <div>
          <h1>Mail</h1>
          <p class="lead">Letters that were committed with what they are about, and are sent until a provider takes them.</p>
        </div>
        {missing ? null : (
          <div class="actions">
            <button type="button" class="button primary" onClick={() => setWriting(true)}>
              <Icon name="plus" /> Write a letter
            </button>
          </div>
        )}
      </header>
      {missing ? (
        <Empty title="No e-mail is configured">Name at least one provider in email.providers, and letters that events emit are sent and shown here.</Empty>
      ) : (
        <>
          <Trouble problem={first.problem} at={first.at} />
          <div class="filters" role="search" aria-label="Filter the mail">
            <div class="chips" role="group" aria-label="Status">
              {statuses.map((one) => (
                <button key={one} type="button" class="chip" aria-pressed={status === one} onClick={() => go(withQuery({ status: one }), "replace")}>
                  {one === "" ? "All" : capital(wordOf(one))}
                  {(numbers.get(one) ?? 0) > 0 ? <span class="figure">{count(numbers.get(one) ?? 0)}</span> : null}
                </button>
              ))}
            </div>
            <Search value={text} />
          </div>
          {first.data === undefined ? (
            first.problem === undefined ? <Loading rows={5} height={64} /> : null
          ) : mails.length === 0 ? (
            <Empty title={status === "" && text === "" ? "No mail yet" : "No mail matches"}>
              {status === "" && text === ""
                ? "Write one here, or emit one from an application by outbox_emit_email: it is stored in the same transaction as what it is about."
                : "An address is compared whole, whatever its case; anything without an @ is taken for a correlation id."}
            </Empty>
          ) : (
            <ul class={`card mails ${first.problem === undefined ? "" : "stale"}`} aria-label="Mail, newest first">
              {mails.map((mail) => (
                <MailRow key={mail.id} mail={mail} />
              ))}
            </ul>
          )}
          {next == null ? null : (
            <p class="more">
              <button type="button" class="button" onClick={() => void get<Page<Mail>>("/api/emails" + query({ ...filters, limit: 100, before: next })).then((page) => setOlder([...older, page]))}>
                Older mail
              </button>
            </p>
          )}
        </>
      )}
      {writing ? <WriteDialog close={() => setWriting(false)} done={first.reload} /> : null}
    </>
  );
}

function MailRow({ mail }: { mail: Mail }) {
  return (
    <li data-mail={mail.id}>
      <a class="mail-row" href={`/mail/${mail.id}`}>
        <span class="mail-to clip">{visible(mail.to[0] ?? "")}{mail.to.length + mail.cc.length + mail.bcc.length > 1 ? <span class="faint">{` +${mail.to.length + mail.cc.length + mail.bcc.length - 1}`}</span> : null}</span>
        <span class="mail-subject clip">
          {visible(mail.subject)}
          {mail.lastError === null || mail.status === "SUCCESS_SENT" ? null : <span class="faint">{` \u2013 ${visible(mail.lastError)}`}</span>}
        </span>
        <Pill state={mail.status} />
        <span class="faint small nowrap mail-when">{mail.nextTryAt !== null && mail.status === "REQUIRED_RESEND" ? <Until at={mail.nextTryAt} /> : <Ago at={mail.receivedAt} />}</span>
      </a>
    </li>
  );
}

function Search({ value }: { value: string }) {
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => setTyped(value), [value]);
  return (
    <input
      class="input wide"
      type="search"
      name="search"
      aria-label="Recipient or correlation id"
      placeholder="Recipient or correlation id"
      value={typed}
      maxLength={320}
      autoComplete="off"
      spellcheck={false}
      onInput={(event) => {
        const next = event.currentTarget.value;
        setTyped(next);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => go(withQuery({ search: next.trim() }), "replace"), 300);
      }}
    />
  );
}
