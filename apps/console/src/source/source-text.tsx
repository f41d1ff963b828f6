import { useEffect, useRef } from 'preact/hooks';
import { HostileText } from '../text/hostile-text.js';
import { markedString } from '../text/mark-text.js';
import { countLines, splitText, type TextMark } from './text-marks.js';
import './source.css';

/** The largest text that is shown at once. Longer texts are not kept. */
const MOST_SHOWN = 70_000;

/** The text of a model with the marks of errors, repairs and the chosen value under their characters. */
export function SourceText({ text, marks, label }: { text: string; marks: readonly TextMark[]; label: string }) {
  const chosen = useRef<HTMLElement>(null);
  const place = marks.find(({ kind }) => kind === 'chosen')?.start;
  useEffect(() => chosen.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [place]);
  const lines = Array.from({ length: countLines(text) }, (_, n) => n + 1).join('\n');
  return (
    <div class="source-frame" tabIndex={0} role="group" aria-label={label}>
      <pre class="source-lines" aria-hidden="true">
        {lines}
      </pre>
      <pre class="source-text" data-testid="source">
        {splitText(text, marks).map(({ text: part, mark }, n) => {
          if (!mark) return <HostileText key={n} text={part} limit={MOST_SHOWN} />;
          const isChosen = mark.kind === 'chosen';
          return (
            <mark
              key={n}
              ref={isChosen ? chosen : null}
              class={`source-mark source-mark-${lookOf(mark)}`}
              data-testid={isChosen ? undefined : 'source-mark'}
              data-line={mark.line}
              data-column={mark.column}
              data-kind={mark.kind}
              title={markedString(mark.title)}
            >
              <HostileText text={part} limit={MOST_SHOWN} />
            </mark>
          );
        })}
      </pre>
    </div>
  );
}

/** The look of a mark: errors have one for all kinds. */
export function lookOf({ kind }: Pick<TextMark, 'kind'>): 'error' | 'warning' | 'repair' | 'chosen' {
  return kind === 'warning' || kind === 'repair' || kind === 'chosen' ? kind : 'error';
}
