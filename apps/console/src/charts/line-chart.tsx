import { useEffect, useRef, useState } from 'preact/hooks';
import { loadChunk } from '../load-chunk.js';
import { theme } from '../shell/theme.js';
import type { ChartData, ChartLine } from './chart-data.js';
import type { DrawnChart } from './draw-chart.js';

interface Props {
  data: ChartData;
  lines: readonly ChartLine[];
  formatTime: (ms: number) => string;
  formatValue: (value: number) => string;
  onPoint: (index: number | null) => void;
}

const HEIGHT = 180;

/** The canvas of a chart. Its code is loaded when it is first shown. Screen readers have the table beside it. */
export function LineChart({ data, lines, formatTime, formatValue, onPoint }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<DrawnChart | undefined>(undefined);
  const latest = useRef(data);
  const [error, setError] = useState(false);
  latest.current = data;
  useEffect(() => {
    let isGone = false;
    const load = async () => {
      const { drawChart } = await loadChunk(() => import('./draw-chart.js'));
      const element = place.current;
      if (isGone || !element) return;
      const colourOf = (property: string) => () => shownColour(element, property);
      chart.current = drawChart(element, latest.current, {
        height: HEIGHT,
        lines: lines.map(({ name, tone }) => ({ name, colour: colourOf(`--tone-${tone}`) })),
        axisColour: colourOf('--text-faint'),
        gridColour: colourOf('--line'),
        formatTime,
        formatValue,
        onPoint,
      });
    };
    load().catch(() => setError(true));
    return () => {
      isGone = true;
      chart.current?.remove();
      chart.current = undefined;
    };
  }, []);
  useEffect(() => chart.current?.setData(data), [data]);
  useRedraw(() => chart.current?.redraw());
  if (error) return <p class="faint">The drawing could not be loaded. The table has its values.</p>;
  return <div class="chart-canvas" ref={place} aria-hidden="true" />;
}

/** A custom property may be `light-dark(…)`, which a canvas does not understand. The browser computes the colour of an element. */
function shownColour(parent: HTMLElement, property: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${property})`;
  parent.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Draws again when the reader or the system changes the theme. */
function useRedraw(redraw: () => void): void {
  const chosen = theme.value;
  useEffect(redraw, [chosen]);
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', redraw);
    return () => dark.removeEventListener('change', redraw);
  }, []);
}
