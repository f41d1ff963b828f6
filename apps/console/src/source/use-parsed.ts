import type { Call, CallPlaces, LocatedProblem, LocatedWarning } from '@errand/contracts';
import { useEffect, useState } from 'preact/hooks';
import { send } from '../api/call-api.js';
import type { ShownCall } from './call-list.js';

/** The answer of `POST /v1/parse`. */
export interface ParsedText {
  protocol: string | null;
  responseText: string;
  trailingText: string;
  calls: (Call & Partial<CallPlaces>)[];
  errors: LocatedProblem[];
  warnings: LocatedWarning[];
  observation: string | null;
}

interface Options {
  agent: string;
  protocol?: string;
  /** How long a text must not change before it is parsed. */
  delayMs: number;
}

/** A text as Errand reads it. `parsed` is undefined until the newest text is read; `latest` is then that of the text before. */
export function useParsed(text: string, { agent, protocol = '', delayMs }: Options) {
  const key = JSON.stringify([agent, protocol, text]);
  const [held, setHeld] = useState<{ key: string; parsed?: ParsedText; error?: unknown }>({ key: '' });
  useEffect(() => {
    if (text.trim() === '') return undefined;
    const left = new AbortController();
    const body = { text, ...(agent !== '' && { agent }), ...(protocol !== '' && { protocol }) };
    const ask = () =>
      send<ParsedText>('POST', '/v1/parse', { body, signal: left.signal }).then(
        (parsed) => left.signal.aborted || setHeld({ key, parsed }),
        (error: unknown) => left.signal.aborted || setHeld((before) => ({ ...before, key, error })),
      );
    const timer = setTimeout(() => void ask(), delayMs);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [key]);
  const latest = text.trim() === '' ? undefined : held.parsed;
  const isNewest = held.key === key && held.error === undefined;
  return { parsed: isNewest ? latest : undefined, latest, error: held.key === key ? held.error : undefined };
}

/** The calls of a parsed text. */
export function shownCalls(parsed: ParsedText | undefined): ShownCall[] {
  return parsed?.calls.map((call, index) => ({ ...call, index })) ?? [];
}
