import { lazy } from 'preact-iso';
import { Suspense } from 'preact/compat';
import { LoadingRows } from '../parts/notices.js';

const SchemaForm = lazy(() => import('./schema-form.js'));

interface Props {
  schema: unknown;
  text: string;
  onText: (text: string) => void;
  name: string;
}

/** The form of a JSON Schema, in a chunk of its own. */
export function LazyForm(props: Props) {
  return (
    <Suspense fallback={<LoadingRows count={3} />}>
      <SchemaForm {...props} />
    </Suspense>
  );
}
