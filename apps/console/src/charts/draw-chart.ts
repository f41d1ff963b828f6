import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { roomForHalf, roomForLabels } from './axis-room.js';
import type { ChartData } from './chart-data.js';

const FONT = '11px system-ui, sans-serif';

export interface DrawnLine {
  name: string;
  /** Returns a colour of the present theme. */
  colour: () => string;
}

export interface ChartLook {
  height: number;
  lines: readonly DrawnLine[];
  axisColour: () => string;
  gridColour: () => string;
  formatTime: (ms: number) => string;
  formatValue: (value: number) => string;
  /** The index of the times under the pointer; null without one. */
  onPoint: (index: number | null) => void;
}

/** A drawing on a canvas. It gets its width from its parent element. */
export interface DrawnChart {
  setData: (data: ChartData) => void;
  /** Draws again, with the colours of another theme. */
  redraw: () => void;
  remove: () => void;
}

/** Draws lines on a canvas inside of `parent`. */
export function drawChart(parent: HTMLElement, data: ChartData, look: ChartLook): DrawnChart {
  const plot = new uPlot(optionsOf(parent.clientWidth, look), toAligned(data), parent);
  const observer = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height: look.height }));
  observer.observe(parent);
  return {
    setData: (next) => plot.setData(toAligned(next)),
    redraw: () => plot.redraw(false, true),
    remove: () => {
      observer.disconnect();
      plot.destroy();
    },
  };
}

function optionsOf(width: number, look: ChartLook): uPlot.Options {
  const { height, lines, formatTime, formatValue, axisColour, gridColour, onPoint } = look;
  const axis: uPlot.Axis = {
    stroke: axisColour,
    font: FONT,
    grid: { stroke: gridColour, width: 1 },
    ticks: { show: false },
  };
  return {
    width: Math.max(100, width),
    height,
    legend: { show: false },
    padding: [8, roomForHalf(formatTime(Date.now()), widthOf), 0, 0],
    cursor: { y: false, drag: { setScale: false, x: false, y: false }, points: { size: 6 } },
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: 70,
        values: (_, splits) => splits.map((at) => formatTime(at * 1_000)),
      },
      {
        ...axis,
        size: (_, labels) => roomForLabels(labels, widthOf),
        space: 32,
        values: (_, splits) => splits.map((value) => formatValue(value)),
      },
    ],
    series: [
      {},
      ...lines.map(({ name, colour }): uPlot.Series => ({
        label: name,
        stroke: colour,
        width: 1.5,
        points: { show: (plot, line) => isSparse(plot.data[line]) },
      })),
    ],
    hooks: { setCursor: [(plot) => onPoint(plot.cursor.idx ?? null)] },
  };
}

/** A single value among gaps would be no line: it gets a point. */
function isSparse(values: uPlot.AlignedData[number] | undefined): boolean {
  return [...(values ?? [])].filter((value) => value !== null).length < 30;
}

function toAligned({ times, values }: ChartData): uPlot.AlignedData {
  return [times.map((ms) => ms / 1_000), ...values.map((line) => [...line])];
}

/** The width of a label in px. */
function widthOf(text: string): number {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return 0;
  context.font = FONT;
  return context.measureText(text).width;
}
