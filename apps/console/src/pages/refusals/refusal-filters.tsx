/** The filters of the list, as the route names them. */
export const FILTERS = ['code', 'toolId', 'agent', 'session', 'from', 'to'] as const;
type Filter = (typeof FILTERS)[number];

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
] as const;
const TEXTS = [
  ['toolId', 'Tool', 'core:echo'],
  ['agent', 'Agent', 'demo'],
  ['session', 'Session', ''],
] as const satisfies readonly (readonly [Filter, string, string])[];
const TIMES = [
  ['from', 'From'],
  ['to', 'To'],
] as const satisfies readonly (readonly [Filter, string])[];

interface Props {
  values: Readonly<Record<string, string>>;
  onChange: (changes: Record<string, string | undefined>) => void;
}

/** The filters of the refused submissions. They are in the URL. */
export function RefusalFilters({ values, onChange }: Props) {
  const isFiltered = FILTERS.some((name) => values[name] !== '');
  return (
    <form
      class="filters"
      role="search"
      aria-label="Filters"
      data-testid="filters"
      onSubmit={(event) => event.preventDefault()}
    >
      <div class="field">
        <label for="filter-code">Error</label>
        <select
          id="filter-code"
          class="select"
          data-testid="filter-code"
          value={values['code']}
          onChange={(event) => onChange({ code: event.currentTarget.value })}
        >
          <option value="">All</option>
          {CODES.map((code) => (
            <option key={code} value={code}>
              {code.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      </div>
      {TEXTS.map(([name, title, placeholder]) => (
        <div key={name} class="field">
          <label for={`filter-${name}`}>{title}</label>
          <input
            id={`filter-${name}`}
            class="input"
            data-testid={name === 'toolId' ? 'filter-tool' : `filter-${name}`}
            value={values[name]}
            placeholder={placeholder}
            maxLength={256}
            onChange={(event) => onChange({ [name]: event.currentTarget.value.trim() })}
          />
        </div>
      ))}
      {TIMES.map(([name, title]) => (
        <div key={name} class="field">
          <label for={`filter-${name}`}>{title}</label>
          <input
            id={`filter-${name}`}
            class="input"
            data-testid={`filter-${name}`}
            type="datetime-local"
            value={toLocal(values[name] ?? '')}
            onChange={(event) => onChange({ [name]: toIso(event.currentTarget.value) })}
          />
        </div>
      ))}
      {isFiltered && (
        <button
          type="button"
          class="button"
          data-testid="clear-filters"
          onClick={() => onChange(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
        >
          Clear
        </button>
      )}
    </form>
  );
}

/** The value of a field of the local time; '' for none. */
function toLocal(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return '';
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function toIso(local: string): string | undefined {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
