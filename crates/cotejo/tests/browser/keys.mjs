// A key is made, runs into its limit, and the limit is raised: by keyboard alone, and where no script runs.
import assert from 'node:assert/strict';

import { journey } from './page.mjs';
import { lookHere, signIn, tabTo } from './panel.mjs';
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

await journey(async ({ atDesk, withoutScript }) => {
  const user = await atDesk();
  await signIn(user);
  const { page } = user;
  await page.goto(`${SERVICE}/app/keys`);
  await tabTo(page, 'a[href="/app/keys/new"]');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${SERVICE}/app/keys/new`);
  await tabTo(page, '#name');
  await page.keyboard.type('Caja 1');
  await page.keyboard.press('Enter');
  const copy = page.locator('[data-copy^="COTEJO_API_KEY="]');
  await copy.waitFor();
  await lookHere(user, 'issued');
  await copy.focus();
  await page.keyboard.press('Enter');
  const line = await page.evaluate(() => navigator.clipboard.readText());
  const key = line.replace('COTEJO_API_KEY=', '');
  assert.match(key, /^ck_live_/);
  assert.equal(await verify(key), 'ok');

  const plain = await withoutScript();
  await signIn(plain);
  await plain.page.goto(`${SERVICE}/app/keys`);
  await plain.page.getByRole('link', { name: 'Caja 1' }).click();
  const limit = plain.page.locator('#limit');
  const save = plain.page.locator('form[action$="/limit"] button');
  await limit.fill('-5');
  await save.click();
  await plain.page.locator('#limit-wrong').waitFor();
  assert.equal(await limit.inputValue(), '-5');
  await lookHere(plain, 'wrong-limit');
  await limit.fill('1');
  await save.click();
  await plain.page.waitForURL(/saved$/);
  assert.equal(await verify(key), 'API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED');
  await limit.fill('10');
  await save.click();
  await plain.page.waitForURL(/saved$/);
  assert.equal(await verify(key), 'ok');
  assert.match(await plain.page.locator('progress').getAttribute('value'), /^\d+$/);

  // The keys that help: `?` shows them, Escape leaves.
  await page.goto(`${SERVICE}/app/keys`);
  await page.keyboard.press('?');
  await page.locator('#help').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#help').isVisible(), false);
});
