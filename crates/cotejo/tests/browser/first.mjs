// The first visit of a new installation: from the letter's password to a test payment, and payments that appear.
import assert from 'node:assert/strict';

import { journey } from './page.mjs';
import { signIn } from './panel.mjs';
import { READS, SERVICE } from './world.mjs';

const { KEY, TEST_BANK } = process.env;

await journey(async ({ onPhone, withoutScript }) => {
  const user = await onPhone();
  await signIn(user);
  const { page } = user;
  assert.equal(await page.locator('html').getAttribute('lang'), READS);
  await page.locator('form[action="/app/first-payment"] button').click();
  await page.waitForURL(`${SERVICE}/app?first`);
  assert.equal(await page.locator('#latest tbody tr').count(), 1);
  assert.equal(await page.locator('form[action="/app/first-payment"]').count(), 0);

  // A payment that a shop's system verifies appears by itself.
  const verified = await fetch(`${SERVICE}/userbankpayment/${TEST_BANK}/betaserio`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ bank_reference: '2267890', amount: 12.5 }),
  });
  assert.equal(verified.status, 200);
  await page.locator('#latest tbody tr').nth(1).waitFor();
  assert.match(await page.locator('#latest tbody tr').first().textContent(), /12[,.]50/);

  // The same for whoever's browser runs no script, which loads the page again.
  const plain = await withoutScript();
  await signIn(plain);
  assert.equal(await plain.page.locator('#latest tbody tr').count(), 2);
  assert.equal(await plain.page.locator('[data-copy]:visible').count(), 0);
});
