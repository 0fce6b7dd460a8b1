// Words and figures as people read them.

const plain = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export function count(number: number): string {
  return plain.format(number);
}

/// `1 event`, `2 events`.
export function counted(number: number, one: string, many = one + "s"): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

export function duration(ms: number): string {
  if (ms < 1) {
    return "<1 ms";
  }
  if (ms < 1000) {
    return `${Math.round(ms)} ms`;
  }
  if (ms < 60_000) {
    const seconds = ms / 1000;
    return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  }
  if (ms < 3_600_000) {
    return `${Math.floor(ms / 60_000)} min ${pad(Math.floor((ms % 60_000) / 1000))} s`;
  }
  if (ms < 172_800_000) {
    return `${Math.floor(ms / 3_600_000)} h ${pad(Math.floor((ms % 3_600_000) / 60_000))} min`;
  }
  return `${Math.floor(ms / 86_400_000)} days`;
}

function pad(number: number): string {
  return String(number).padStart(2, "0");
}

export function ago(ms: number): string {
  if (ms < 1500) {
    return "now";
  }
  if (ms < 60_000) {
    return `${Math.round(ms / 1000)} s ago`;
  }
  if (ms < 3_600_000) {
    return `${Math.floor(ms / 60_000)} min ago`;
  }
  if (ms < 172_800_000) {
    return `${Math.floor(ms / 3_600_000)} h ago`;
  }
  return `${Math.floor(ms / 86_400_000)} days ago`;
}

export function clock(moment: Date): string {
  return moment.toLocaleTimeString("en-GB");
}

/// With the day, where it is not today.
export function moment(at: Date): string {
  const today = new Date().toDateString() === at.toDateString();
  return today ? clock(at) : `${at.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" })} ${clock(at)}`;
}

export function percent(part: number, whole: number): string {
  if (whole === 0) {
    return "–";
  }
  const share = (part / whole) * 100;
  // 99.98 must not read as a clean 100.
  return share === 100 || share === 0 ? `${share}%` : `${Math.min(99.9, Math.max(0.1, share)).toFixed(1)}%`;
}

export function bytes(size: number): string {
  if (size < 1000) {
    return `${size} B`;
  }
  return size < 1_000_000 ? `${(size / 1000).toFixed(size < 10_000 ? 1 : 0)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/// Characters that are not seen but change how the rest reads (U+202E turns a line around) are shown as what they are.
export function visible(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\u27e8U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}\u27e9`,
  );
}
