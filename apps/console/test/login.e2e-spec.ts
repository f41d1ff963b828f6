import { describeWithBrowser } from '../../../test/support/browser.js';
import { useStack } from '../../../test/support/start-stack.js';
import { byTestId, logIn, useConsole, waitForPage } from './support/console-page.js';

const KEY = 'the-key-of-the-operator-1234567890';

describeWithBrowser('Logging in to the console', () => {
  const stack = useStack({ env: { ERRAND_API_KEYS: `${KEY} acme:the-key-of-acme-1234567890` } });
  const { inPage } = useConsole(() => stack.url);

  inPage(
    'Any page without a login session is the login, and afterwards the page that was asked for opens',
    async ({ page }) => {
      await page.goto('/console/schedules?tab=next');
      await waitForPage(page, 'login');
      expect(await byTestId(page, 'login-key').getAttribute('type')).toBe('password');
      await logIn(page, KEY);
      await waitForPage(page, 'schedules');
      expect(page.url()).toBe(`${stack.url}/console/schedules?tab=next`);
      await byTestId(page, 'unavailable').waitFor();
    },
  );

  inPage('A wrong key is refused, and nothing keeps any key', async ({ page, context }) => {
    await page.goto('/console/');
    await byTestId(page, 'login-key').fill('a-wrong-key-1234567890');
    await byTestId(page, 'login-submit').click();
    await byTestId(page, 'login-error').waitFor();
    expect(await context.cookies()).toEqual([]);
    await logIn(page, KEY);
    await waitForPage(page, 'overview');
    const kept = await page.evaluate(() =>
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie]),
    );
    expect(kept + (await page.content()) + page.url()).not.toContain(KEY);
    expect(await context.cookies()).toMatchObject([{ name: 'errand_session', httpOnly: true, sameSite: 'Strict' }]);
  });

  inPage('A logout ends the session in every tab', async ({ page, context }) => {
    await page.goto('/console/');
    await logIn(page, KEY);
    const other = await context.newPage();
    await other.goto('/console/');
    await waitForPage(other, 'overview');
    await byTestId(page, 'logout').click();
    await waitForPage(page, 'login');
    await other.reload();
    await waitForPage(other, 'login');
  });

  inPage('The shell names the tenant, and leads to every page by keyboard', async ({ page }) => {
    await page.goto('/console/');
    await logIn(page, 'the-key-of-acme-1234567890');
    await waitForPage(page, 'overview');
    expect(await byTestId(page, 'tenant').textContent()).toBe('acme');
    await page.keyboard.press('Control+k');
    await byTestId(page, 'palette').waitFor();
    expect(await byTestId(page, 'palette').getByRole('option').count()).toBeGreaterThan(0);
    await page.keyboard.press('Escape');
    await byTestId(page, 'palette').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await byTestId(page, 'shortcuts').waitFor();
    await page.keyboard.press('Escape');
    await byTestId(page, 'theme-toggle').click();
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('light');
    await page.reload();
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('light');
  });

  inPage('The first stop of the keyboard leads over the navigation to the content', async ({ page }) => {
    await page.goto('/console/');
    await logIn(page, KEY);
    await page.reload();
    await waitForPage(page, 'overview');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  });

  inPage('An unknown address says so, and the rest of the console works', async ({ page }) => {
    await page.goto('/console/');
    await logIn(page, KEY);
    for (const path of ['/console/nothing', '/console/%00%1b', '/console/%zz', '/console/invocations/a/b/c/d']) {
      await page.goto(path);
      await byTestId(page, 'not-found').waitFor();
    }
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).click();
    await waitForPage(page, 'overview');
  });
});

describeWithBrowser('The operator in the console', () => {
  const stack = useStack({ env: { ERRAND_API_KEYS: `${KEY} acme:the-key-of-acme-1234567890` } });
  const { inPage } = useConsole(() => stack.url);
  const submit = async (tenant: string) => {
    const headers = { authorization: `Bearer ${KEY}`, 'x-errand-tenant': tenant };
    const call = { toolId: 'core:echo', arguments: { value: tenant } };
    return (await stack.client.post('/v1/invocations', call, headers)).body.id;
  };

  inPage('The operator acts for another tenant, also in links, with the feed, and goes back', async ({ page }) => {
    const [own, other] = [await submit('default'), await submit('acme')];
    await page.goto('/console/');
    await logIn(page, KEY);
    await waitForPage(page, 'overview');
    await byTestId(page, 'tenant').click();
    await byTestId(page, 'tenant-name').fill('No Name');
    await byTestId(page, 'tenant-confirm').click();
    await page.getByRole('alert').filter({ hasText: 'a-z' }).waitFor();
    await byTestId(page, 'tenant-name').fill('acme');
    await byTestId(page, 'tenant-confirm').click();
    await page.waitForURL('**/console/?tenant=acme');
    await waitForPage(page, 'overview');
    expect(await byTestId(page, 'tenant').textContent()).toBe('acme');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Invocations' }).click();
    await page.locator(`[data-testid="row"][data-id="${other}"]`).waitFor();
    expect(await page.locator(`[data-id="${own}"]`).count()).toBe(0);
    await byTestId(page, 'filter-session').fill('none');
    await page.waitForURL((url) => url.searchParams.get('session') === 'none');
    expect(new URL(page.url()).searchParams.get('tenant')).toBe('acme');
    await page.goto('/console/invocations?tenant=acme');
    await page.locator('[data-testid="live-state"][data-state="live"]').waitFor();
    // The stream may be open before the first read of the list, which would then have the new row.
    await page.locator(`[data-testid="row"][data-id="${other}"]`).waitFor();
    await submit('acme');
    await byTestId(page, 'new-rows').filter({ hasText: '1 new' }).waitFor();
    await byTestId(page, 'tenant').click();
    await byTestId(page, 'tenant-own').click();
    await page.waitForURL('**/console/');
    await waitForPage(page, 'overview');
    expect(await byTestId(page, 'tenant').textContent()).toBe('default');
    await page.goBack();
    await page.waitForURL('**/console/invocations?tenant=acme');
    await page.locator(`[data-testid="row"][data-id="${other}"]`).waitFor();
  });

  const chunks = [
    ['sandbox-page', '/console/sandbox?x=1'],
    ['try-tool', '/console/try?tool=core:echo'],
    ['schema-form', '/console/try?tool=core:echo'],
    ['text-editor', '/console/try'],
  ] as const;
  for (const [chunk, path] of chunks)
    inPage(`A page that misses ${chunk} loads itself once again, and then says so in the shell`, async ({ page }) => {
      await page.goto('/console/');
      await logIn(page, KEY);
      await waitForPage(page, 'overview');
      let loads = 0;
      page.on('request', (request) => (loads += request.isNavigationRequest() ? 1 : 0));
      await page.route(`**/console/assets/${chunk}*`, (route) => route.fulfill({ status: 404 }));
      await page.goto(path);
      await byTestId(page, 'crash').waitFor();
      expect([loads, page.url()]).toEqual([2, stack.url + path]);
      await byTestId(page, 'nav').getByRole('link', { name: 'Overview' }).click();
      await waitForPage(page, 'overview');
    });
});

describeWithBrowser('Who comes next at a browser', () => {
  const ACME = 'the-key-of-acme-1234567890';
  const stack = useStack({ env: { ERRAND_API_KEYS: `${KEY} acme:${ACME}` } });
  const { inPage } = useConsole(() => stack.url);

  inPage('After a logout nothing of the tenant is left in the page', async ({ page }) => {
    const headers = { authorization: `Bearer ${ACME}` };
    const call = { toolId: 'core:echo', arguments: { value: 1 } };
    const { id } = (await stack.client.post('/v1/invocations', call, headers)).body;
    const row = page.locator(`[data-testid="row"][data-id="${id}"]`);
    await page.goto('/console/invocations');
    await logIn(page, ACME);
    await row.waitFor();
    await byTestId(page, 'logout').click();
    await waitForPage(page, 'login');
    await logIn(page, KEY);
    await byTestId(page, 'empty').waitFor();
    expect(await row.count()).toBe(0);
  });
});

describeWithBrowser('The console of a server without keys', () => {
  const stack = useStack();
  const { inPage } = useConsole(() => stack.url);

  inPage('It asks for nothing', async ({ page }) => {
    await page.goto('/console/');
    await waitForPage(page, 'overview');
    expect(await byTestId(page, 'logout').count()).toBe(0);
    expect(await byTestId(page, 'tenant').textContent()).toBe('default');
  });
});
