import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import { useUrlQuery } from '../../api/use-url-query.js';
import { TryText } from './try-text.js';
import './try.css';

/** The form of a tool is a part of its own. */
const [loadForm] = Object.values(import.meta.glob<{ default: ComponentType<{ toolId: string }> }>('./try-tool.tsx'));
const TryTool = loadForm && lazy(loadForm);

/** Tries a text of a model, or one tool by its form, and then runs it. */
export default function TryPage() {
  const { get } = useUrlQuery();
  const toolId = get('tool');
  if (toolId === '' || !TryTool) return <TryText />;
  return <TryTool key={toolId} toolId={toolId} />;
}
