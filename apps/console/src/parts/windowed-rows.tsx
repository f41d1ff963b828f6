import type { ComponentChildren, Ref } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Rows above and below the visible ones that are in the page, too. */
const SPARE = 8;

export interface WindowedProps {
  count: number;
  /** The height of every row in px. */
  rowHeight: number;
  /** Renders the row, which must have that height. */
  row: (index: number) => ComponentChildren;
  /** Called with the first and the last row in the page, when they change. */
  onRange?: (first: number, last: number) => void;
  /** The scrolling element, for those that scroll it. */
  scroller?: Ref<HTMLDivElement>;
  /** Attributes of the scrolling element. */
  attributes?: Record<string, unknown>;
  className: string;
}

/** A scrolling list of rows of one height. Only those near the visible part are in the page, however many there are. */
export function WindowedRows({ count, rowHeight, row, onRange, scroller, attributes, className }: WindowedProps) {
  const own = useRef<HTMLDivElement | null>(null);
  const [view, setView] = useState({ top: 0, height: 640 });
  const measure = () => {
    const element = own.current;
    if (element) setView({ top: element.scrollTop, height: element.clientHeight });
  };
  useEffect(() => {
    measure();
    if (!own.current) return undefined;
    const observer = new ResizeObserver(measure);
    observer.observe(own.current);
    return () => observer.disconnect();
  }, []);
  useEffect(measure, [count]);
  const first = Math.max(0, Math.min(count - 1, Math.floor(view.top / rowHeight) - SPARE));
  const last = Math.min(count - 1, Math.ceil((view.top + view.height) / rowHeight) + SPARE);
  useEffect(() => onRange?.(first, last), [first, last, count]);
  const rows = [];
  for (let index = first; index <= last; index++) rows.push(row(index));
  return (
    <div
      {...attributes}
      ref={(element) => {
        own.current = element;
        if (typeof scroller === 'object' && scroller) scroller.current = element;
      }}
      class={`windowed ${className}`}
      tabIndex={0}
      onScroll={measure}
    >
      <div class="windowed-all" style={{ height: `${count * rowHeight}px` }}>
        <div class="windowed-shown" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}
