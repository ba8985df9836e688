// Who pays the same each month sees what is owed, pays it, and cancels, by the page of the subscription.
import assert from 'node:assert/strict';

import { journey } from './page.mjs';
import { words } from './words.mjs';
import { bank, SERVICE, shop } from './world.mjs';

await journey(async ({ onPhone, withoutScript }) => {
  const { payerUrl, paymentLinkId } = await shop.subscribes();
  const address = `${SERVICE}${new URL(payerUrl).pathname}`;
  const payer = await onPhone();
  const { page } = payer;
  await page.goto(address);
  await payer.reads(words.firstPayment);
  await payer.look('owed');

  await page.locator('dd form button[type=submit]').tap();
  await page.waitForURL(`${SERVICE}/pay/${paymentLinkId}`);
  await payer.send(await bank.pay());
  await payer.reads(words.paid);
  await page.goto(address);
  await payer.reads(words.upToDate);
  await payer.look('paid');

  // To look at what canceling does changes nothing.
  await page.locator('.other a').tap();
  await page.waitForURL(`${address}/cancel`);
  await payer.look('asked');
  await page.goto(address);
  await payer.reads(words.upToDate);

  const plain = await withoutScript();
  await plain.page.goto(`${address}/cancel`);
  await plain.page.locator('form button[type=submit]').tap();
  await plain.reads(words.isCanceled);
  assert.equal(plain.page.url(), address);
  await page.reload();
  await payer.reads(words.isCanceled);
  await payer.look('canceled');

  await page.goto(`${SERVICE}/suscripcion/nothing`);
  await payer.reads(words.noPage);
  await payer.look('unknown');
});
