// Drawn for this console: 24 by 24, strokes only.
const shapes = {
  overview: "M4 13h6V4H4zM14 9h6V4h-6zM14 20h6v-7h-6zM4 20h6v-3H4z",
  sagas: "M4 8h14m-3.500-3.500L18 8l-3.500 3.500M20 16H6m3.500-3.500L6 16l3.500 3.500",
  letters: "M4 6h16v12H4zM9.500 9.500l5 5m0-5-5 5",
  mail: "M4 6h16v12H4zM4.500 7l7.500 6 7.500-6",
  shop: "M5 8h14l-1 12H6zM9 10V7a3 3 0 0 1 6 0v3",
  check: "M5 12.500 10 17.500 19 7",
  cross: "M6.500 6.500l11 11m0-11-11 11",
  retry: "M19 12a7 7 0 1 1-2.200-5.100M19 4v4h-4",
  undo: "M9 7 4.500 11.500 9 16M5 11.500h9a5 5 0 0 1 5 5V18",
  question: "M8.500 9a3.500 3.500 0 1 1 5.300 3c-1.200.7-1.800 1.300-1.800 2.500M12 18.200v.1",
  skip: "M6 12h12",
  dots: "M6 12h.01M12 12h.01M18 12h.01",
  row: "M5 5h14v14H5zM5 10h14",
  outbox: "M4 13v6h16v-6M12 4v10m-4-4 4 4 4-4",
  copy: "M9 9h10v11H9zM15 9V4H5v11h4",
  chevron: "M9 6l6 6-6 6",
  warn: "M12 4 21 19.500H3zM12 10v4.500M12 17v.1",
  info: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5.500M12 7.800v.1",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5.500l3.500 2",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.500 20.500c1-4 4-5.500 7.500-5.500s6.500 1.500 7.500 5.500",
  clip: "M8 12.500l6-6a3 3 0 0 1 4.300 4.300l-8 8a5 5 0 0 1-7-7l7.500-7.500",
  up: "M12 19V5m-5.500 5.500L12 5l5.500 5.500",
  plus: "M12 5v14M5 12h14",
  play: "M7 5l11 7-11 7z",
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={shapes[name]} />
    </svg>
  );
}
