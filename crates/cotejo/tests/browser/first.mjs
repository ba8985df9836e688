// The first visit of a new installation: from the letter's password to a test payment, and payments that appear.
import assert from 'node:assert/strict';

import { hands, open, runsScripts } from './hands.mjs';
import { journey } from './page.mjs';
import { signIn } from './panel.mjs';
import { READS, SERVICE } from './world.mjs';

const { KEY, TEST_BANK } = process.env;

await journey(async (browsers) => {
  const user = await open(browsers);
  const { page } = user;
  const hand = hands(page);
  await signIn(user);
  assert.equal(await page.locator('html').getAttribute('lang'), READS);
  await hand.press('form[action="/app/first-payment"] button');
  await page.waitForURL(`${SERVICE}/app?first`);
  assert.equal(await page.locator('#latest tbody tr').count(), 1);
  assert.equal(await page.locator('form[action="/app/first-payment"]').count(), 0);

  // A payment that a shop's system verifies appears by itself; where no script runs, once the page is loaded again.
  const verified = await fetch(`${SERVICE}/userbankpayment/${TEST_BANK}/betaserio`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ bank_reference: '2267890', amount: 12.5 }),
  });
  assert.equal(verified.status, 200);
  if (!runsScripts) {
    assert.equal(await page.locator('[data-copy]:visible').count(), 0);
    await page.goto(`${SERVICE}/app`);
  }
  await page.locator('#latest tbody tr').nth(1).waitFor();
  assert.match(await page.locator('#latest tbody tr').first().textContent(), /12[,.]50/);
  await user.forGuide('inicio');
});
