import { useUrlQuery } from '../../api/use-url-query.js';
import { EmptyNotice } from '../../parts/notices.js';
import { Page } from '../../parts/page.js';
import { TryTool } from './try-tool.js';

/** Tries a tool by a form (`?tool=`). */
export default function TryPage() {
  const toolId = useUrlQuery().get('tool');
  if (toolId !== '') return <TryTool key={toolId} toolId={toolId} />;
  return (
    <Page page="try" title="Try a tool" state="empty">
      <EmptyNotice title="No tool is chosen">
        Choose one of the <a href="/console/tools">tools</a>, or open this page with <code>?tool=</code> and its id.
      </EmptyNotice>
    </Page>
  );
}
