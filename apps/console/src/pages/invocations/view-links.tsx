import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.js';
import { showToast } from '../../shell/toasts.js';
import { HostileText } from '../../text/hostile-text.js';
import { markedString } from '../../text/mark-text.js';
import { removeView, savedViews, saveView } from './saved-views.js';

/** The saved views as links. */
export function ViewLinks({ search }: { search: string }) {
  return (
    <div class="views">
      {savedViews().map((view) => (
        <span key={view.name} class="view">
          <a
            data-testid="view-link"
            href={`/console/invocations${view.search}`}
            aria-current={view.search === search ? 'true' : undefined}
          >
            <HostileText text={view.name} isFixed />
          </a>
          <button
            type="button"
            class="view-remove"
            aria-label={`Remove the view ${markedString(view.name)}`}
            onClick={() => removeView(view.name)}
          >
            ×
          </button>
        </span>
      ))}
    </div>
  );
}

/** Saves the present filters under a name. */
export function SaveViewButton({ search }: { search: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="button" data-testid="save-view" onClick={() => setOpen(true)}>
        Save view
      </button>
      {isOpen && <SaveDialog search={search} onClose={() => setOpen(false)} />}
    </>
  );
}

function SaveDialog({ search, onClose }: { search: string; onClose: () => void }) {
  const [name, setName] = useState('');
  const save = (event: Event) => {
    event.preventDefault();
    if (name.trim() === '') return;
    saveView(name, search === '' ? '?' : search);
    showToast('The view is saved in this browser');
    onClose();
  };
  return (
    <Dialog title="Save this view" testId="save-view-dialog" onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <label class="field">
          <span class="field-label">Name</span>
          <input
            class="input"
            data-testid="view-name"
            maxLength={60}
            autoFocus
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <p class="faint">This browser keeps it for this tenant, until you log out.</p>
        <div>
          <button type="submit" class="button button-primary" data-testid="view-confirm" disabled={name.trim() === ''}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
