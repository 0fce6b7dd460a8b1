import { useState } from "preact/hooks";

import { get, send } from "../api/client";
import type { MailDetail, Result } from "../api/forms";
import { useResource } from "../api/resource";
import { bytes, duration, visible } from "../format";
import { isObject } from "../json";
import { useChanges } from "../live";
import { Dialog } from "../parts/dialog";
import { Icon } from "../parts/icon";
import { Empty, Loading, Trouble } from "../parts/notice";
import { iconOf, Pill, wordOf } from "../parts/status";
import { Ago, At, Until } from "../parts/time";
import { say } from "../parts/toast";

export function MessagePage({ id }: { id: number }) {
  const mail = useResource(`mail ${id}`, (signal) => get<MailDetail>(`/api/emails/${id}`, signal));
  useChanges((change) => {
    if (change === "everything" ? mail.data !== undefined : change.emails.includes(id)) {
      mail.reload();
    }
  });
  const message = mail.data;
  if (message === undefined) {
    if (mail.problem?.status === 404) {
      return (
        <Empty title={`There is no mail ${id}`} actions={<a class="button" href="/mail">To the mail</a>}>
          Messages that were sent are deleted after email.retention.
        </Empty>
      );
    }
    return mail.problem === undefined ? <Loading rows={2} height={200} /> : <Trouble problem={mail.problem} at={mail.at} />;
  }
  return (
    <div class="stack">
      <Trouble problem={mail.problem} at={mail.at} />
      <header class="page-head">
        <div class="grow">
          <p class="crumbs small">
            <a href="/mail">Mail</a> <span aria-hidden="true">/</span>
          </p>
          <h1 class="row wrap">
            <span>{visible(message.subject)}</span> <Pill state={message.status} />
          </h1>
          <p class="lead">
            to {visible(message.to.join(", "))}, accepted <Ago at={message.receivedAt} />
          </p>
        </div>
        {message.status.startsWith("FAILED") ? <Resend message={message} done={mail.reload} /> : null}
      </header>
      {message.lastError === null || message.status === "SUCCESS_SENT" ? null : (
        <div class={`banner is-${message.status}`} role="status">
          <Icon name="warn" />
          <div class="grow">
            {visible(message.lastError)}
            {message.nextTryAt === null ? null : <>. Tried again <Until at={message.nextTryAt} />.</>}
          </div>
        </div>
      )}
      <div class="columns">
        <section class="card" aria-label="Preview">
          <header>
            <h2>Preview</h2>
            <span class="faint small">nothing in it runs, and nothing is loaded from elsewhere</span>
          </header>
          <div class="body">
            <Preview message={message} />
          </div>
        </section>
        <div class="stack">
          <section class="card" aria-label="Tries">
            <header>
              <h2>Tries</h2>
            </header>
            <div class="body">
              <Tries tries={message.tries} />
            </div>
          </section>
          <section class="card" aria-label="The message">
            <header>
              <h2>The message</h2>
            </header>
            <div class="body">
              <dl class="facts">
                <Fact name="To" values={message.to} />
                <Fact name="Copy" values={message.cc} />
                <Fact name="Blind copy" values={message.bcc} />
                <Fact name="Reply to" values={message.replyTo === null ? [] : [message.replyTo]} />
                <Fact name="Kind" values={[message.documentType]} />
                <Fact name="Correlation id" values={[message.correlationId]} />
                <Fact name="Message-ID" values={[message.messageId]} />
                <dt>Event</dt>
                <dd><a href={`/events/${message.eventId}`}>#{message.eventId}</a></dd>
                {message.endedAt === null ? null : (
                  <>
                    <dt>{message.status === "SUCCESS_SENT" ? "Sent" : "Given up"}</dt>
                    <dd><At at={message.endedAt} /></dd>
                  </>
                )}
              </dl>
              {message.attachments.length === 0 ? null : (
                <ul class="attachments" aria-label="Attachments">
                  {message.attachments.map((one) => (
                    <li key={one.id}>
                      <Icon name="clip" />
                      <span class="clip">{visible(one.fileName)}</span>
                      <span class="faint small nowrap">{`${visible(one.contentType)}, ${bytes(one.bytes)}`}</span>
                    </li>
                  ))}
                </ul>
              )}
            </div>
          </section>
        </div>
      </div>
    </div>
  );
}

function Fact({ name, values }: { name: string; values: string[] }) {
  return values.length === 0 ? null : (
    <>
      <dt>{name}</dt>
      <dd>{visible(values.join(", "))}</dd>
    </>
  );
}

function Preview({ message }: { message: MailDetail }) {
  const [shown, setShown] = useState<"html" | "text">(message.html === null || message.html === "" ? "text" : "html");
  const both = message.html !== null && message.html !== "" && message.text !== null && message.text !== "";
  return (
    <div class="stack tight">
      {both ? (
        <div class="chips" role="group" aria-label="Which form">
          <button type="button" class="chip" aria-pressed={shown === "html"} onClick={() => setShown("html")}>HTML</button>
          <button type="button" class="chip" aria-pressed={shown === "text"} onClick={() => setShown("text")}>Text</button>
        </div>
      ) : null}
      {shown === "html" ? (
        <iframe class="preview-frame" title="The message as HTML" src={`/api/emails/${message.id}/preview`} sandbox="" referrerpolicy="no-referrer" loading="lazy" />
      ) : (
        <pre class="preview-text" tabIndex={0} aria-label="The message as text">{visible(message.text ?? "")}</pre>
      )}
    </div>
  );
}

function Tries({ tries }: { tries: Result[] }) {
  if (tries.length === 0) {
    return <p class="soft">No provider has been asked yet.</p>;
  }
  return (
    <ol class="tries">
      {tries.map((one) => {
        const said = saidBy(one);
        return (
          <li key={one.id} class={`is-${one.outcome}`}>
            <span class="dot"><Icon name={iconOf(one.outcome)} /></span>
            <div class="grow">
              <div>
                <strong>{visible(said.provider)}</strong> <span class="soft">{wordOf(one.outcome)}</span>{" "}
                <span class="faint small nowrap">{`round ${one.attempt}, ${duration(one.durationMs)}`}</span>
              </div>
              {said.reply === "" ? null : <p class="quote pre small">{visible(said.reply)}</p>}
              {said.others.map((other) => (
                <p key={other} class="small soft">{visible(other)}</p>
              ))}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/// What a row of the result table says about one provider's try.
function saidBy(row: Result): { provider: string; reply: string; others: string[] } {
  const request = isObject(row.requestPayload) ? row.requestPayload : {};
  const response = isObject(row.responsePayload) ? row.responsePayload : {};
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const recipients = Array.isArray(response.recipients) ? response.recipients.filter(isObject) : [];
  return {
    provider: text(request.provider) || row.destination,
    reply: text(response.reply) || (row.errorMessage ?? ""),
    others: recipients
      .filter((one) => one.state !== "accepted")
      .map((one) => [text(one.address), text(one.state), text(one.reply)].filter((piece) => piece !== "").join(", ")),
  };
}

function Resend({ message, done }: { message: MailDetail; done: () => void }) {
  const [asking, setAsking] = useState(false);
  return (
    <div class="actions">
      <button type="button" class="button" onClick={() => setAsking(true)}>
        <Icon name="retry" /> Send again &hellip;
      </button>
      {asking ? (
        <Dialog
          title="Send this letter again?"
          action="Send again"
          close={() => setAsking(false)}
          act={async () => {
            await send("POST", `/api/emails/${message.id}/resend`);
            say(`Letter ${message.id} is sent again.`);
            done();
          }}
        >
          <p>The providers are asked anew, under the same Message-ID. Who has got it already is left out.</p>
        </Dialog>
      ) : null}
    </div>
  );
}
