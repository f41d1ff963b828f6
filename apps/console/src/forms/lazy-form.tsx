import { LazyPart } from '../parts/lazy-part.js';

interface Props {
  schema: unknown;
  text: string;
  onText: (text: string) => void;
  name: string;
}

const load = async () => (await import('./schema-form.js')).default;

/** The form of a JSON Schema, in a chunk of its own. */
export function LazyForm(props: Props) {
  return <LazyPart load={load} props={props} />;
}
