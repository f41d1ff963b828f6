import { useUrlQuery } from '../../api/use-url-query.js';
import { LazyPart } from '../../parts/lazy-part.js';
import { TryText } from './try-text.js';
import './try.css';

/** The form of a tool is a part of its own. */
const loadTool = async () => (await import('./try-tool.js')).default;

/** Tries a text of a model, or one tool by its form (`?tool=`), and then runs it. */
export default function TryPage() {
  const { get } = useUrlQuery();
  const toolId = get('tool');
  if (toolId === '') return <TryText />;
  return <LazyPart key={toolId} load={loadTool} props={{ toolId }} />;
}
