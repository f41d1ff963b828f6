import { useEffect, useId, useState } from 'preact/hooks';
import { useUrlQuery } from '../../api/use-url-query.js';
import { ChoiceFilter, ListFilters, TextFilter } from '../../parts/filter-fields.js';
import { PART } from '../../parts/in-parts.js';

/** The filters of the list, as the route names them. */
export const FILTERS = ['code', 'toolId', 'agent', 'session', 'from', 'to'] as const;

const CODES = [
  'malformed_xml',
  'malformed_tam',
  'truncated',
  'empty_action',
  'missing_command',
  'unknown_tool',
  'invalid_parameters',
  'unsupported_callback_url',
  'invalid_request',
].map((value) => ({ value, word: value.replaceAll('_', ' ') }));

/** The filters of the refused submissions. They are in the URL. */
export function RefusalFilters() {
  return (
    <ListFilters names={FILTERS}>
      <ChoiceFilter name="code" label="Error" testId="filter-code" whole="All" choices={CODES} />
      <TextFilter name="toolId" label="Tool" testId="filter-tool" hint="core:echo" />
      <TextFilter name="agent" label="Agent" testId="filter-agent" hint="demo" />
      <TextFilter name="session" label="Session" testId="filter-session" />
      <TimeFilter name="from" label="From" />
      <TimeFilter name="to" label="To" />
    </ListFilters>
  );
}

/** A filter that is a time, in the zone of the reader. */
function TimeFilter({ name, label }: { name: 'from' | 'to'; label: string }) {
  const { get, set } = useUrlQuery();
  const id = useId();
  const value = get(name);
  const [typed, setTyped] = useState(toLocal(value));
  // The browser reports each whole time, also while the reader still types the year. What was typed stays.
  useEffect(() => {
    if (toIso(typed) !== value) setTyped(toLocal(value));
  }, [value]);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="input"
        data-testid={`filter-${name}`}
        type="datetime-local"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onChange={(event) => set({ [name]: toIso(event.currentTarget.value), [PART]: undefined })}
      />
    </div>
  );
}

/** The value of a field of the local time; '' for none. */
function toLocal(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return '';
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The ISO time of the value of a field; '' for none. */
function toIso(local: string): string {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}
