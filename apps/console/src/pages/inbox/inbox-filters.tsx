import { useUrlQuery } from '../../api/use-url-query.js';

const FILTERS = [
  { name: 'toolId', label: 'Tool', testId: 'filter-tool', example: 'review:approve' },
  { name: 'agent', label: 'Agent', testId: 'filter-agent', example: '' },
] as const;

/** The filters of the inbox, which are in the address. */
export function InboxFilters() {
  const { get, set } = useUrlQuery();
  const isFiltered = FILTERS.some(({ name }) => get(name) !== '');
  return (
    <div class="inbox-filters" role="search" aria-label="Filters" data-testid="filters">
      {FILTERS.map(({ name, label, testId, example }) => (
        <div key={name} class="field">
          <label for={`inbox-${name}`}>{label}</label>
          <input
            class="input"
            id={`inbox-${name}`}
            data-testid={testId}
            value={get(name)}
            placeholder={example}
            spellcheck={false}
            onChange={({ currentTarget }) => set({ [name]: currentTarget.value.trim() })}
          />
        </div>
      ))}
      {isFiltered && (
        <button
          type="button"
          class="button"
          data-testid="clear-filters"
          onClick={() => set({ toolId: '', agent: '', kind: '' })}
        >
          Clear
        </button>
      )}
    </div>
  );
}
