import { lazy } from 'preact-iso';
import { useUrlQuery } from '../../api/use-url-query.js';
import { TryText } from './try-text.js';
import './try.css';

/** The form of a tool is a part of its own. */
const TryTool = lazy(() => import('./try-tool.js'));

/** Tries a text of a model, or one tool by its form (`?tool=`), and then runs it. */
export default function TryPage() {
  const { get } = useUrlQuery();
  const toolId = get('tool');
  if (toolId === '') return <TryText />;
  return <TryTool key={toolId} toolId={toolId} />;
}
