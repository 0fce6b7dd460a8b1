import type { Saga } from "../api/forms";
import { visible } from "../format";
import { Rail } from "../parts/rail";
import { eventState, Pill } from "../parts/status";
import { Ago } from "../parts/time";
import { railOf } from "../saga";

// The heights of style/rail.css, so that the list needs to measure nothing.
const plain = 116;
const withCompensation = 160;

export function heightOf(saga: Saga): number {
  return railOf(saga).compensates ? withCompensation : plain;
}

interface SagaRowProps {
  saga: Saga;
  top: number;
  height: number;
  fresh: boolean;
  index: number;
  total: number;
}

export function SagaRow({ saga, top, height, fresh, index, total }: SagaRowProps) {
  return (
    <li
      class={`saga ${fresh ? "fresh" : ""}`}
      style={{ transform: `translateY(${top}px)`, height: `${height}px` }}
      aria-posinset={index + 1}
      aria-setsize={total}
      data-event={saga.id}
    >
      <div class="inner">
        <div class="head">
          <a class="title" href={`/events/${saga.id}`}>
            <span class="clip">{visible(saga.eventType)}</span>
            <span class="number">#{saga.id}</span>
          </a>
          <Pill {...eventState(saga)} />
          <span class="soft small clip grow summary" title={saga.lastError ?? undefined}>
            {summary(saga)}
          </span>
          <span class="faint small nowrap when">
            <Ago at={saga.createdAt} />
          </span>
        </div>
        <Rail saga={saga} />
      </div>
    </li>
  );
}

/// The one thing that a reader should know beyond the rail: why it is not simply done.
function summary(saga: Saga): string {
  const why = saga.deadLetter?.revertError ?? saga.lastError;
  return saga.status === "PROCESSED" && !saga.movedToDlq ? "" : visible(why ?? "");
}
