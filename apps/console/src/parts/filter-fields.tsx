import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { useUrlQuery } from '../api/use-url-query.js';
import './filter-fields.css';
import { PART } from './in-parts.js';

/** The filters of a list, which are in the URL. */
export function ListFilters({
  names,
  children,
}: {
  /** The names of the filters in the query of the address. */
  names: readonly string[];
  children: ComponentChildren;
}) {
  const { get, set } = useUrlQuery();
  const isFiltered = names.some((name) => get(name) !== '');
  return (
    <form
      class="filter-fields"
      role="search"
      aria-label="Filters"
      data-testid="filters"
      onSubmit={(event) => event.preventDefault()}
    >
      {children}
      {isFiltered && (
        <button
          type="button"
          class="button"
          data-testid="clear-filters"
          onClick={() => set(Object.fromEntries([...names, PART].map((name) => [name, undefined])))}
        >
          Clear filters
        </button>
      )}
    </form>
  );
}

/** The API takes no longer texts. */
const MOST_CHARACTERS = 256;

interface FieldProps {
  /** The name in the query of the address. */
  name: string;
  label: string;
  testId: string;
}

/** A filter that is a text. It counts when the reader presses Enter or leaves the field. */
export function TextFilter({ name, label, testId, hint }: FieldProps & { hint?: string }) {
  const { get, set } = useUrlQuery();
  const id = useId();
  const value = get(name);
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const commit = () => typed.trim() !== value && set({ [name]: typed.trim(), [PART]: undefined });
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="input"
        type="text"
        data-testid={testId}
        placeholder={hint}
        maxLength={MOST_CHARACTERS}
        spellcheck={false}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && commit()}
        onBlur={commit}
      />
    </div>
  );
}

/** A filter with a few values. */
export function ChoiceFilter({
  name,
  label,
  testId,
  choices,
  whole,
}: FieldProps & {
  choices: readonly { value: string; word: string }[];
  /** What stands for every value. */
  whole: string;
}) {
  const { get, set } = useUrlQuery();
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="select"
        data-testid={testId}
        value={get(name)}
        onChange={(event) => set({ [name]: event.currentTarget.value, [PART]: undefined })}
      >
        <option value="">{whole}</option>
        {choices.map(({ value, word }) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
    </div>
  );
}
