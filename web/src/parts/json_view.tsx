import { useMemo, useState } from "preact/hooks";

import { visible } from "../format";
import { Digits, isObject, writeJson, type Json } from "../json";
import { CopyButton } from "./copy";
import { Icon } from "./icon";

/// Members of one level, and characters of one text, that are shown before a reader asks for the rest: 5 MB must not
/// stop the page.
const firstMembers = 60;
const firstCharacters = 2000;

export function JsonView({ value, label, open = 2 }: { value: Json | undefined; label: string; open?: number }) {
  const text = useMemo(() => (value === undefined ? "" : writeJson(value)), [value]);
  if (value === undefined || value === null) {
    return <p class="faint small">none</p>;
  }
  return (
    <div class="json" role="group" aria-label={label}>
      <CopyButton text={text} what={label} />
      <div class="json-body" tabIndex={0} aria-label={`${label}, as JSON`} role="region">
        <Node value={value} depth={0} open={open} />
      </div>
    </div>
  );
}

function Node({ value, depth, open }: { value: Json; depth: number; open: number }) {
  if (Array.isArray(value)) {
    return <Branch entries={value.map((item, index) => [String(index), item] as const)} names={false} signs="[]" depth={depth} open={open} />;
  }
  if (isObject(value)) {
    return <Branch entries={Object.entries(value)} names signs="{}" depth={depth} open={open} />;
  }
  return <Leaf value={value} />;
}

function Leaf({ value }: { value: Json }) {
  const [whole, setWhole] = useState(false);
  if (value instanceof Digits) {
    return <span class="json-number">{value.text}</span>;
  }
  if (typeof value !== "string") {
    return <span class={typeof value === "number" ? "json-number" : "json-word"}>{String(value)}</span>;
  }
  const cut = !whole && value.length > firstCharacters;
  return (
    <span class="json-text">
      {visible(JSON.stringify(cut ? value.slice(0, firstCharacters) : value))}
      {cut ? (
        <button type="button" class="json-more" onClick={() => setWhole(true)}>
          {`and ${(value.length - firstCharacters).toLocaleString("en")} more characters`}
        </button>
      ) : null}
    </span>
  );
}

interface BranchProps {
  entries: (readonly [string, Json])[];
  names: boolean;
  signs: string;
  depth: number;
  open: number;
}

function Branch({ entries, names, signs, depth, open }: BranchProps) {
  const [unfolded, setUnfolded] = useState(depth < open);
  const [limit, setLimit] = useState(firstMembers);
  if (entries.length === 0) {
    return <span class="json-sign">{signs}</span>;
  }
  const kind = names ? "member" : "item";
  return (
    <>
      <button type="button" class="json-fold" aria-expanded={unfolded} aria-label={unfolded ? "Fold" : "Unfold"} onClick={() => setUnfolded(!unfolded)}>
        <Icon name="chevron" />
      </button>
      <span class="json-sign">{signs[0]}</span>
      {unfolded ? (
        <>
          <ul>
            {entries.slice(0, limit).map(([name, member], index) => (
              <li key={name}>
                {names ? <span class="json-name">{visible(JSON.stringify(name))}</span> : null}
                {names ? <span class="json-sign">: </span> : null}
                <Node value={member} depth={depth + 1} open={open} />
                {index < entries.length - 1 ? <span class="json-sign">,</span> : null}
              </li>
            ))}
            {entries.length > limit ? (
              <li>
                <button type="button" class="json-more" onClick={() => setLimit(limit * 10)}>
                  {`${(entries.length - limit).toLocaleString("en")} more`}
                </button>
              </li>
            ) : null}
          </ul>
          <span class="json-sign">{signs[1]}</span>
        </>
      ) : (
        <button type="button" class="json-more" onClick={() => setUnfolded(true)}>
          {`${entries.length} ${kind}${entries.length === 1 ? "" : "s"} ${signs[1]}`}
        </button>
      )}
    </>
  );
}
