import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import { useLayoutEffect, useState } from 'preact/hooks';

interface Options {
  count: number;
  /** The height of each row in pixels. */
  rowHeight: number;
  element: () => HTMLElement | null;
  /** A row that stays in the document although it is out of view, because it has the focus. */
  kept?: number | undefined;
}

const OVERSCAN = 6;

/** The rows of a long list that are in view, and how to scroll to a row. Only these rows are in the document. */
export function useVirtualRows({ count, rowHeight, element, kept }: Options) {
  const [, setRound] = useState(0);
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(optionsOf()));
  function optionsOf() {
    return {
      count,
      estimateSize: () => rowHeight,
      getScrollElement: element,
      overscan: OVERSCAN,
      observeElementRect,
      observeElementOffset,
      scrollToFn: elementScroll,
      onChange: () => setRound((round) => round + 1),
    };
  }
  virtualizer.setOptions(optionsOf());
  // The adapters of the package for frameworks call these two.
  // oxlint-disable-next-line no-underscore-dangle
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  // oxlint-disable-next-line no-underscore-dangle
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  const inView = virtualizer.getVirtualItems().map(({ index }) => index);
  const isKeptOut = kept !== undefined && kept >= 0 && kept < count && !inView.includes(kept);
  return {
    indexes: isKeptOut ? [...inView, kept].toSorted((a, b) => a - b) : inView,
    /** The rows that the reader may see, without the one that only has the focus. */
    inView,
    height: count * rowHeight,
    scrollTo: (index: number) => virtualizer.scrollToIndex(index, { align: 'auto' }),
  };
}
