import { useId, useMemo, useRef } from 'preact/hooks';
import { HostileText } from '../text/hostile-text.js';
import { problemsOf } from './check-value.js';
import { FormContext } from './form-context.js';
import { initialText } from './initial-text.js';
import { parseTree, type JsonNode } from './json-tree.js';
import { SchemaField } from './schema-field.js';
import './forms.css';

interface Props {
  /** A JSON Schema (2020-12), or `true` for any value. */
  schema: unknown;
  /** The JSON text of the value. The form shows it and changes only the places that a person edits. */
  text: string;
  onText: (text: string) => void;
  /** How people know the value. */
  name: string;
}

/** A form of a JSON Schema. The text is the truth: whatever it has stays in it, also what the form cannot draw. */
export default function SchemaForm({ schema, text, onText, name }: Props) {
  const idPrefix = useId();
  const tree = useMemo(() => read(text), [text]);
  const own = useRef({ text, outsideChanges: 0 });
  if (text !== own.current.text) own.current = { text, outsideChanges: own.current.outsideChanges + 1 };
  const { outsideChanges } = own.current;
  const write = (next: string) => {
    own.current = { text: next, outsideChanges };
    onText(next);
  };
  const untouched = useMemo(() => initialText(schema) || '{}', [schema]);
  // A person who has not typed anything has made no mistake.
  const isTyped = tree.root !== undefined && text !== untouched;
  const problems = useMemo(() => (isTyped ? problemsOf(schema, JSON.parse(text)) : []), [schema, text, isTyped]);
  if (tree.problem !== undefined)
    return (
      <p class="notice-line" role="status">
        The form returns when the JSON text is right again. <HostileText text={tree.problem} />
      </p>
    );
  return (
    <FormContext.Provider
      value={{ root: schema, text, problems, idPrefix, onText: write, outsideChanges, Field: SchemaField }}
    >
      <div class="form">
        <SchemaField schema={schema} path={[]} node={tree.root} name={name} isRequired />
      </div>
    </FormContext.Provider>
  );
}

/** An empty text is a value that is not given yet. */
function read(text: string): { root?: JsonNode; problem?: string } {
  if (text.trim() === '') return {};
  try {
    return { root: parseTree(text) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
