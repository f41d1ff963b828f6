import { useRef, useState } from 'preact/hooks';
import { messageOf } from '../../api/problems.js';
import { logIn } from '../../api/session.js';
import './login.css';

/** Asks for a key of the API. Afterwards the page that was asked for opens, because its URL stays. */
export function LoginPage() {
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    const input = field.current;
    if (!input || input.value === '') return setError('Type a key of the API first');
    setBusy(true);
    try {
      await logIn(input.value);
    } catch (failure) {
      setError(messageOf(failure));
      input.focus();
    } finally {
      input.value = '';
      setBusy(false);
    }
    return undefined;
  };
  return (
    <main
      id="main"
      class="login"
      data-testid="main"
      data-page="login"
      data-state={error === undefined ? 'ready' : 'error'}
    >
      <form class="login-card" data-testid="login-form" noValidate onSubmit={(event) => void submit(event)}>
        <h1 data-testid="page-title">Log in to Errand</h1>
        <label for="login-key">API key</label>
        <input
          ref={field}
          id="login-key"
          class="input"
          data-testid="login-key"
          type="password"
          autoComplete="off"
          spellcheck={false}
          autoFocus
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? 'login-hint' : 'login-error'}
        />
        {error === undefined ? (
          <p class="faint" id="login-hint">
            A key of ERRAND_API_KEYS. The browser keeps a cookie, not the key.
          </p>
        ) : (
          <p class="field-error" id="login-error" role="alert" data-testid="login-error">
            {error}
          </p>
        )}
        <button type="submit" class="button button-primary" data-testid="login-submit" disabled={isBusy}>
          Log in
        </button>
      </form>
    </main>
  );
}
