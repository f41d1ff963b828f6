import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { messageOf } from '../api/problems.js';
import { logOut, whoami } from '../api/session.js';
import { startFeed } from '../live/follow-feed.js';
import { LiveIndicator, LostBar } from './live-indicator.js';
import { Navigation } from './navigation.js';
import { Palette } from './palette.js';
import { ShortcutsDialog } from './shortcuts-dialog.js';
import { TenantSwitch } from './tenant-switch.js';
import { nextTheme, theme } from './theme.js';
import { showToast } from './toasts.js';
import { useMenu } from './use-menu.js';
import { useShortcuts } from './use-shortcuts.js';

type OpenDialog = 'palette' | 'shortcuts' | undefined;

/** What surrounds every page: the bar at the top, and the navigation, which a narrow page shows on demand. */
export function Shell({ children }: { children: ComponentChildren }) {
  const [dialog, setDialog] = useState<OpenDialog>();
  const menu = useMenu(useLocation().path);
  useShortcuts(useCallback((what) => setDialog(what), []));
  useEffect(() => startFeed(), []);
  const close = () => setDialog(undefined);
  return (
    <div class={menu.isOpen ? 'shell menu-open' : 'shell'}>
      <a class="skip-link" href="#main">
        Skip to content
      </a>
      <header class="top">
        <button
          ref={menu.button}
          type="button"
          class="icon-button menu-button"
          aria-label="Menu"
          aria-expanded={menu.isOpen}
          onClick={menu.toggle}
        >
          ☰
        </button>
        <a class="brand" href="/console/">
          Errand
        </a>
        <button type="button" class="search-button" onClick={() => setDialog('palette')}>
          Search <kbd>Ctrl K</kbd>
        </button>
        <LiveIndicator />
        <Account />
        <ThemeToggle />
        <button
          type="button"
          class="icon-button"
          aria-label="Keyboard shortcuts"
          onClick={() => setDialog('shortcuts')}
        >
          ?
        </button>
      </header>
      <LostBar />
      <Navigation />
      <div class="content">{children}</div>
      {dialog === 'palette' && <Palette onClose={close} />}
      {dialog === 'shortcuts' && <ShortcutsDialog onClose={close} />}
    </div>
  );
}

function Account() {
  const caller = whoami.value;
  if (!caller) return null;
  const leave = () => logOut().catch((error: unknown) => showToast(messageOf(error), 'bad'));
  return (
    <span class="account">
      <TenantSwitch />
      {caller.subject !== 'local' && (
        <button type="button" class="button button-small" data-testid="logout" onClick={() => void leave()}>
          Log out
        </button>
      )}
    </span>
  );
}

function ThemeToggle() {
  const shown = { system: '◐', light: '☀', dark: '☾' }[theme.value];
  return (
    <button
      type="button"
      class="icon-button"
      data-testid="theme-toggle"
      aria-label={`Theme: ${theme.value}`}
      onClick={nextTheme}
    >
      {shown}
    </button>
  );
}
