import { createContext, type ComponentType } from 'preact';
import { useContext } from 'preact/hooks';
import { removeAt, setAt } from './edit-json.js';
import type { JsonNode, JsonPath } from './json-tree.js';
import type { ValueProblem } from './check-value.js';

/** What the fields of a form share: its text, which is the truth, and how to change it. */
export interface FormState {
  /** The root schema, in which references are followed. */
  root: unknown;
  text: string;
  problems: readonly ValueProblem[];
  /** Begins the ids of all fields. */
  idPrefix: string;
  onText: (text: string) => void;
  /** How often the text was changed elsewhere than in the form. */
  outsideChanges: number;
  /** Draws any part of the schema. Fields with parts take it from here, because it imports them. */
  Field: ComponentType<FieldProps>;
}

export const FormContext = createContext<FormState>({
  root: true,
  text: '',
  problems: [],
  idPrefix: '',
  onText: () => undefined,
  outsideChanges: 0,
  Field: () => null,
});

/** A part of the schema with its part of the text. */
export interface FieldProps {
  schema: unknown;
  path: JsonPath;
  node: JsonNode | undefined;
  /** How people know the field: a key, or the number of an item. */
  name: string;
  isRequired: boolean;
  /** How many alternatives of alternatives it is within. A schema can name itself as its own alternative. */
  alternatives?: number;
}

/** What a field can do with its place in the text. */
export function useField({ path, node, alternatives = 0 }: Pick<FieldProps, 'path' | 'node' | 'alternatives'>) {
  const { text, problems, idPrefix, onText } = useContext(FormContext);
  const pointer = path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return {
    id: `${idPrefix}${pointer}`,
    /** The text of its value as it was typed; undefined if it has none. */
    raw: node && text.slice(node.from, node.to),
    /** The choice between alternatives shows the mistakes of the chosen one. */
    problems: problems.flatMap((each) => (each.path === pointer && alternatives === 0 ? [each.message] : [])),
    write: (raw: string) => onText(setAt(text, path, raw)),
    remove: () => onText(removeAt(text, path)),
    replaceText: (change: (text: string) => string) => onText(change(text)),
  };
}
