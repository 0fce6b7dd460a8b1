import { useState } from "preact/hooks";

import { Icon } from "./icon";

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without TLS, beyond the loopback, browsers have no clipboard to offer; the old way still works.
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "hidden-text";
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

export function CopyButton({ text, what, label }: { text: string; what: string; label?: string }) {
  const [done, setDone] = useState(false);
  return (
    <button
      type="button"
      class="button bare small copy"
      aria-label={label === undefined ? `Copy ${what}` : undefined}
      title={`Copy ${what}`}
      onClick={() => {
        void copy(text).then(() => {
          setDone(true);
          setTimeout(setDone, 1500, false);
        });
      }}
    >
      <Icon name={done ? "check" : "copy"} />
      {label === undefined ? null : done ? "Copied" : label}
    </button>
  );
}
