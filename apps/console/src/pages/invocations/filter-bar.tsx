import type { Status } from '@errand/contracts';
import { useRef } from 'preact/hooks';
import type { QueryChanges } from '../../api/use-url-query.js';
import { useTypedText } from '../../parts/use-typed-text.js';
import { STATUS_LOOKS } from '../../statuses.js';
import {
  ERROR_TYPES,
  isoOfLocalTime,
  localTimeOf,
  metadataChanges,
  metadataText,
  type FilterName,
  type ListFilters,
} from './url-filters.js';

/** A typed filter applies when nothing was typed for so long (ms), or at Enter. */
const TYPING_MS = 350;
const STATUSES: readonly Status[] = ['queued', 'running', 'waiting_external', 'succeeded', 'failed', 'cancelled'];
const GROUPS: readonly [value: string, title: string][] = [
  ['queued,running,waiting_external', 'All open'],
  ['succeeded,failed,cancelled', 'All ended'],
  ['failed,cancelled', 'Failed or cancelled'],
];

interface Props {
  filters: ListFilters;
  /** Changes the address. With `isMore`, the change replaces the one before, so that Back skips it. */
  onChange: (changes: QueryChanges, isMore?: boolean) => void;
  onClear: () => void;
}

/** The filters of the list. Their values are in the address. */
export function FilterBar({ filters, onChange, onClear }: Props) {
  const text = (name: FilterName, testId: string, label: string, list?: string) => (
    <TypedFilter
      testId={testId}
      label={label}
      value={filters.get(name) ?? ''}
      onCommit={(value, isMore) => onChange({ [name]: value }, isMore)}
      {...(list !== undefined && { list })}
    />
  );
  const time = (name: FilterName, testId: string, label: string) => (
    <label class="filter filter-time">
      <span class="field-label">{label}</span>
      <input
        class="input"
        type="datetime-local"
        data-testid={testId}
        value={localTimeOf(filters.get(name))}
        onChange={(event) => onChange({ [name]: isoOfLocalTime(event.currentTarget.value) })}
      />
    </label>
  );
  return (
    <form
      class="filters"
      role="search"
      aria-label="Filters"
      data-testid="filters"
      onSubmit={(event) => event.preventDefault()}
    >
      <StatusFilter value={filters.get('status') ?? ''} onChange={(status) => onChange({ status })} />
      {text('toolId', 'filter-tool', 'Tool')}
      {text('agent', 'filter-agent', 'Agent')}
      {text('session', 'filter-session', 'Session')}
      {text('errorType', 'filter-error', 'Error', 'error-types')}
      <datalist id="error-types">
        {ERROR_TYPES.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
      <TypedFilter
        testId="filter-metadata"
        label="Metadata"
        placeholder="key=value"
        value={metadataText(filters)}
        check={(value) => (metadataChanges(filters, value) ? undefined : 'Write key=value')}
        onCommit={(value, isMore) => onChange(metadataChanges(filters, value) ?? {}, isMore)}
      />
      {time('from', 'filter-from', 'From')}
      {time('to', 'filter-to', 'To')}
      <button
        type="button"
        class="button clear-filters"
        data-testid="clear-filters"
        disabled={filters.size === 0}
        onClick={onClear}
      >
        Clear
      </button>
    </form>
  );
}

function StatusFilter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const known = ['', ...STATUSES, ...GROUPS.map(([group]) => group)];
  return (
    <label class="filter">
      <span class="field-label">Status</span>
      <select
        class="select"
        data-testid="filter-status"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        <option value="">Any</option>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {STATUS_LOOKS[status].word}
          </option>
        ))}
        {GROUPS.map(([group, title]) => (
          <option key={group} value={group}>
            {title}
          </option>
        ))}
        {!known.includes(value) && <option value={value}>Several</option>}
      </select>
    </label>
  );
}

interface TypedProps {
  testId: string;
  label: string;
  value: string;
  /** `isMore`: the same visit of the field has committed before. */
  onCommit: (value: string, isMore: boolean) => void;
  placeholder?: string;
  /** What is wrong with a text. A wrong text is not committed. */
  check?: (value: string) => string | undefined;
  /** The id of a list of suggestions. */
  list?: string;
}

function TypedFilter({ testId, label, value, onCommit, placeholder, check, list }: TypedProps) {
  const hasCommitted = useRef(false);
  const { typed, type, commit } = useTypedText({
    value,
    delayMs: TYPING_MS,
    toValue: (text) => (check?.(text) === undefined ? text.trim() : undefined),
    onCommit: (next) => {
      onCommit(next, hasCommitted.current);
      hasCommitted.current = true;
    },
  });
  const problem = check?.(typed);
  return (
    <label class="filter">
      <span class="field-label">{label}</span>
      <input
        class="input"
        type="text"
        data-testid={testId}
        value={typed}
        list={list}
        placeholder={placeholder}
        maxLength={256}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={problem !== undefined}
        title={problem}
        onFocus={() => (hasCommitted.current = false)}
        onInput={(event) => type(event.currentTarget.value)}
        onBlur={(event) => commit(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && commit(event.currentTarget.value)}
      />
    </label>
  );
}
