import type { QueueList } from '@errand/contracts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { actingTenant, addressFor, isTenantName } from '../api/acting-tenant.js';
import { read } from '../api/call-api.js';
import { isOperator, whoami } from '../api/session.js';
import { Dialog } from '../parts/dialog.js';
import { markedString } from '../text/mark-text.js';

/** The name of the tenant. The operator of several tenants chooses another one by it. */
export function TenantSwitch() {
  const [isOpen, setOpen] = useState(false);
  const caller = whoami.value;
  if (!caller) return null;
  const acting = actingTenant();
  const name = markedString(acting ?? caller.tenant);
  if (!isOperator.value || (caller.subject === 'local' && acting === undefined))
    return (
      <span class="tenant" data-testid="tenant" title={markedString(caller.subject)}>
        {name}
      </span>
    );
  return (
    <>
      <button
        type="button"
        class={acting === undefined ? 'button button-small tenant' : 'button button-small tenant tenant-acting'}
        data-testid="tenant"
        title={acting === undefined ? 'Choose a tenant' : `You act for the tenant ${name}. Choose another one`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {name}
      </button>
      {isOpen && <TenantDialog own={caller.tenant} acting={acting} onClose={() => setOpen(false)} />}
    </>
  );
}

interface DialogProps {
  own: string;
  acting: string | undefined;
  onClose: () => void;
}

/** A tenant has data of its own, so that the console is loaded anew for it. */
function TenantDialog({ own, acting, onClose }: DialogProps) {
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const names = useTenantsWithWork().filter((name) => name !== acting);
  const submit = (event: Event) => {
    event.preventDefault();
    const name = field.current?.value.trim() ?? '';
    if (isTenantName(name)) return location.assign(addressFor(name));
    setProblem('The name of a tenant has up to 63 characters of a-z, 0-9, _ and -');
    return field.current?.focus();
  };
  return (
    <Dialog title="Act for a tenant" testId="tenant-dialog" onClose={onClose}>
      <form class="tenant-form" noValidate onSubmit={submit}>
        <label for="tenant-name">Tenant</label>
        <input
          ref={field}
          id="tenant-name"
          class="input"
          data-testid="tenant-name"
          list="tenant-names"
          autoComplete="off"
          spellcheck={false}
          maxLength={63}
          autoFocus
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : 'tenant-problem'}
        />
        <datalist id="tenant-names">
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        {problem !== undefined && (
          <p class="field-error" id="tenant-problem" role="alert">
            {problem}
          </p>
        )}
        <div class="tenant-buttons">
          {acting !== undefined && (
            <button
              type="button"
              class="button"
              data-testid="tenant-own"
              onClick={() => location.assign(addressFor(own))}
            >
              Back to {markedString(own)}
            </button>
          )}
          <button type="submit" class="button button-primary" data-testid="tenant-confirm">
            Open
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** The tenants that have work in a queue now, as suggestions. */
function useTenantsWithWork(): readonly string[] {
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    const ended = new AbortController();
    read<QueueList>('/v1/queues', undefined, ended.signal).then(
      ({ items }) => setNames([...new Set(items.flatMap(({ tenants }) => tenants.map(({ tenant }) => tenant)))]),
      // The operator can type a name without suggestions.
      () => undefined,
    );
    return () => ended.abort();
  }, []);
  return names;
}
