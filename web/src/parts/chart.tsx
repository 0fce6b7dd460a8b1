import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { clock } from "../format";

export interface Line {
  label: string;
  /// Name of the custom property that holds its colour.
  colour: string;
  values: (number | null)[];
  fill?: boolean;
}

interface ChartProps {
  label: string;
  /// Seconds since 1970.
  times: number[];
  lines: Line[];
  height?: number;
  show: (value: number) => string;
}

const dark = matchMedia("(prefers-color-scheme: dark)");

export function Chart({ label, times, lines, height = 150, show }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>();
  const shape = lines.map((line) => line.label).join("\n");
  const data: uPlot.AlignedData = [times, ...lines.map((line) => line.values)];

  useEffect(() => {
    const element = place.current;
    if (element === null) {
      return;
    }
    const build = () => {
      plot.current?.destroy();
      const style = getComputedStyle(element);
      const colour = (name: string) => style.getPropertyValue(name).trim();
      const axis = {
        stroke: colour("--faint"),
        font: `11px ${colour("--sans")}`,
        grid: { stroke: colour("--line"), width: 1 },
        ticks: { show: false },
      };
      plot.current = new uPlot(
        {
          width: element.clientWidth,
          height,
          padding: [8, 18, 0, 0],
          legend: { show: false },
          cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
          scales: { x: { time: true }, y: { range: (_plot, _low, high) => [0, Math.max(high, 1) * 1.1] } },
          axes: [
            { ...axis, size: 24, space: 70, values: (_plot, ticks) => ticks.map((tick) => clock(new Date(tick * 1000)).slice(0, 5)) },
            { ...axis, size: 52, space: 34, values: (_plot, ticks) => ticks.map(show) },
          ],
          series: [
            {},
            ...lines.map((line) => ({
              label: line.label,
              stroke: colour(line.colour),
              width: 1.75,
              points: { show: false },
              ...(line.fill === true ? { fill: `color-mix(in srgb, ${colour(line.colour)} 14%, transparent)` } : {}),
            })),
          ],
        },
        plot.current === undefined ? data : plot.current.data,
        element,
      );
    };
    build();
    const fit = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }));
    fit.observe(element);
    dark.addEventListener("change", build);
    return () => {
      fit.disconnect();
      dark.removeEventListener("change", build);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [shape, height]);

  useEffect(() => plot.current?.setData(data), [times, lines]);

  return <div class="chart" role="img" aria-label={label} ref={place} />;
}
