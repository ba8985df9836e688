// The first page hears of payments, says when it does not, and listens again: behind a proxy that fails, and with more
// pages open than one person may have streams.
import assert from 'node:assert/strict';

import { journey } from './page.mjs';
import { lookHere, signIn } from './panel.mjs';
import { bank, PAYER, SERVICE } from './world.mjs';

const { KEY, USER_BANK } = process.env;
const EVENTS = '**/app/events*';

/** Has a payment that has come verified; answers how pages know it: by the end of its reference. */
async function verify() {
  const reference = await bank.pay(10);
  const answer = await fetch(`${SERVICE}/userbankpayment/${USER_BANK}/betaserio`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      bank_reference: reference, amount: 10, phone_pagador: PAYER.phone, dni_pagador: PAYER.document,
    }),
  });
  assert.equal(answer.status, 200);
  return reference.slice(-8);
}

await journey(async ({ atDesk }) => {
  const user = await atDesk();
  await signIn(user);
  const { page } = user;
  const off = page.locator('#live-off');
  assert.equal(await off.isVisible(), false);

  // Figures and payments are brought up to date together.
  const before = await page.locator('#figures').textContent();
  const first = await verify();
  await page.locator('#latest', { hasText: first }).waitFor();
  assert.notEqual(await page.locator('#figures').textContent(), before);

  // A gateway that fails is reported, and the page listens again by itself.
  await page.route(EVENTS, (route) => route.fulfill({ status: 502, body: '' }));
  await page.reload();
  await off.waitFor({ state: 'visible' });
  await lookHere(user, 'live-off');
  const second = await verify();
  await page.unroute(EVENTS);
  await page.locator('#latest', { hasText: second }).waitFor({ timeout: 90_000 });
  await off.waitFor({ state: 'hidden', timeout: 30_000 });

  // What is announced could not be loaded: it is tried again.
  await page.route(`${SERVICE}/app`, (route) => route.fulfill({ status: 502, body: '' }));
  const third = await verify();
  await off.waitFor({ state: 'visible' });
  await page.unroute(`${SERVICE}/app`);
  await page.locator('#latest', { hasText: third }).waitFor({ timeout: 90_000 });
});
