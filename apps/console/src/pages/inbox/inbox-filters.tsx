import { ListFilters, TextFilter } from '../../parts/filter-fields.js';

/** An address can name a kind, which has no field of its own. */
const FILTERS = ['kind', 'toolId', 'agent'];

/** The filters of the inbox, which are in the address. */
export function InboxFilters() {
  return (
    <ListFilters names={FILTERS}>
      <TextFilter name="toolId" label="Tool" testId="filter-tool" hint="review:approve" />
      <TextFilter name="agent" label="Agent" testId="filter-agent" />
    </ListFilters>
  );
}
