// A key is made, runs into its limit, and the limit is raised.
import assert from 'node:assert/strict';

import { hands, open, runsScripts } from './hands.mjs';
import { journey } from './page.mjs';
import { lookHere, signIn } from './panel.mjs';
import { SERVICE } from './world.mjs';

const { TEST_BANK } = process.env;
let references = 3;

/** What comes of a payment that is verified by that key. */
async function verify(key) {
  references += 1;
  const answer = await fetch(`${SERVICE}/userbankpayment/${TEST_BANK}/betaserio`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ bank_reference: `${references}67890` }),
  });
  return answer.ok ? 'ok' : (await answer.json()).error;
}

/** Makes a key; answers its text, as its button copies it, or as it is read where there are no buttons. */
async function makeKey(user) {
  const { page } = user;
  const hand = hands(page);
  await hand.press('.menu a[href="/app/keys"]');
  await page.waitForURL(/keys$/);
  await hand.press('main a[href="/app/keys/new"]');
  await page.waitForURL(`${SERVICE}/app/keys/new`);
  await hand.fill('#name', 'Caja 1');
  await hand.press('form.card button.button');
  const shown = page.locator('code', { hasText: 'COTEJO_API_KEY=' });
  await shown.waitFor();
  await user.forGuide('llave');
  await lookHere(user, 'issued');
  let line = await shown.textContent();
  if (runsScripts) {
    await hand.press('[data-copy^="COTEJO_API_KEY="]');
    line = await page.evaluate(() => navigator.clipboard.readText());
  }
  return line.trim().replace('COTEJO_API_KEY=', '');
}

await journey(async (browsers) => {
  const user = await open(browsers);
  await signIn(user);
  const { page } = user;
  const hand = hands(page);
  const key = await makeKey(user);
  assert.match(key, /^ck_live_/);
  assert.equal(await verify(key), 'ok');

  await hand.press('.menu a[href="/app/keys"]');
  await page.waitForURL(/keys$/);
  const href = await page.getByRole('link', { name: 'Caja 1' }).getAttribute('href');
  await hand.press(`a[href="${href}"]`);
  await page.locator('#limit').waitFor();
  const limit = async (text) => {
    await hand.fill('#limit', text);
    await hand.press('form[action$="/limit"] button');
  };
  await limit('-5');
  await page.locator('#limit-wrong').waitFor();
  assert.equal(await page.locator('#limit').inputValue(), '-5');
  await lookHere(user, 'wrong-limit');
  await limit('1');
  await page.waitForURL(/saved$/);
  assert.equal(await verify(key), 'API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED');
  // It is found again as it was found before.
  await hand.press('.menu a[href="/app/keys"]');
  await page.waitForURL(/keys$/);
  await hand.press(`a[href="${href}"]`);
  await page.locator('#limit').waitFor();
  await limit('10');
  await page.waitForURL(/saved$/);
  assert.equal(await verify(key), 'ok');
  await user.forGuide('limite', '#limit');
  assert.match(await page.locator('progress').getAttribute('value'), /^\d+$/);

  // The keys that help: `?` shows them, Escape leaves.
  if (!runsScripts) return;
  await page.goto(`${SERVICE}/app/keys`);
  await page.keyboard.press('?');
  await page.locator('#help').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#help').isVisible(), false);
  // `/` searches, from any page.
  await page.keyboard.press('/');
  await page.waitForURL(`${SERVICE}/app/payments#search`);
  await page.locator('#search:focus').waitFor();
  await page.keyboard.press('Tab');
  await page.locator('h1').click();
  await page.keyboard.press('/');
  await page.locator('#search:focus').waitFor();
});
