// An account is linked, a payer pays a link on it, the webhook about that fails, and it is sent again.
import assert from 'node:assert/strict';

import { hands, open } from './hands.mjs';
import { journey } from './page.mjs';
import { lookHere, signIn } from './panel.mjs';
import { openReceiver } from './receiver.mjs';
import { words } from './words.mjs';
import { bank, PAYER } from './world.mjs';

const { ACCOUNT, BANK_KEY } = process.env;

/** Links the shop's account, whose key is mistyped at first. */
async function linkAccount(user) {
  const { page } = user;
  const hand = hands(page);
  await hand.press('.menu a[href="/app/accounts"]');
  await page.waitForURL(/accounts$/);
  await hand.press('a[href="/app/accounts/new"]');
  await page.waitForURL(/accounts\/new$/);
  await hand.press('a[href$="bank=VE_BAN_EMP_V2"]');
  await page.locator('#username').waitFor();
  await hand.fill('#description', 'Tienda');
  await hand.fill('#username', ACCOUNT);
  await hand.fill('#password', 'no es la clave');
  await hand.fill('#user_bank_phone', '0412-0000001');
  await hand.fill('#user_bank_dni', 'J-123456784');
  await hand.fill('#holder_name', 'Tienda Ejemplo, C.A.');
  await user.forGuide('cuenta');
  await hand.press('form.card button.button');
  await page.locator('#password-wrong, .notice.bad').first().waitFor();
  assert.equal(await page.locator('#username').inputValue(), ACCOUNT);
  await lookHere(user, 'wrong-key');
  await hand.fill('#password', BANK_KEY);
  await hand.press('form.card button.button');
  await page.getByText('/hooks/bank/bdv/').waitFor();
  await lookHere(user, 'push-address');
}

/** Makes a link whose events go to that address; answers its id. */
async function makeLink(user, url) {
  const { page } = user;
  const hand = hands(page);
  await hand.press('.menu a[href="/app/links"]');
  await page.waitForURL(/links$/);
  await hand.press('a[href="/app/links/new"]');
  await page.locator('#amount').waitFor();
  await hand.fill('#amount', '1250,75');
  await hand.fill('#description', 'Pedido 9');
  await hand.choose('#user_bank_id', 'Tienda …0001');
  await hand.press('form.card summary');
  await hand.fill('#webhook_url', url);
  await hand.press('form.card button.button');
  await page.waitForURL(/made$/);
  await user.forGuide('enlace');
  return new URL(page.url()).pathname.split('/').at(-1);
}

/** Fills the payer's form in and sends it. */
async function pays({ page }, reference) {
  const hand = hands(page);
  for (const [name, value] of Object.entries(PAYER)) await hand.fill(`input[name=${name}]`, value);
  await hand.fill('#reference', reference);
  await hand.press('form.tell button[type=submit]');
}

await journey(async (browsers) => {
  // It is broken until it is mended.
  const receiver = await openReceiver(500);
  const user = await open(browsers);
  await signIn(user);
  await linkAccount(user);
  const link = await makeLink(user, receiver.url);

  const payer = await open(browsers);
  await payer.open(link);
  await pays(payer, await bank.pay());
  await payer.reads(words.paid);
  await payer.forGuide('pagador');

  // What came of the first attempt is written once it has ended.
  const { page } = user;
  const hand = hands(page);
  do {
    await hand.press('.menu a[href="/app/keys"]');
    await page.waitForURL(/keys$/);
    await hand.press('.tabs a[href="/app/webhooks"]');
    await page.waitForURL(/webhooks$/);
    await hand.press('a[href^="/app/webhooks/deliveries/evt_"]');
    await page.waitForURL(/evt_/);
  } while (!(await page.getByText('HTTP 500').count()));
  // The page is loaded again while more is to come, so that it is not looked at any closer here.
  await user.keep('failed');

  receiver.status = 200;
  await hand.press('form[action$="/redeliver"] button');
  // The page looks again by itself until it has arrived.
  await page.locator('.heading .badge.good').waitFor();
  await page.getByText('HTTP 200').waitFor();
  await user.forGuide('entrega');
  assert.ok(receiver.received.length > 1);
  assert.deepEqual(receiver.received.at(-1), receiver.received[0], 'what is sent again is the same');
  await hand.press('.menu a[href="/app/links"]');
  await page.waitForURL(/links$/);
  await hand.press(`a[href="/app/links/${link}"]`);
  await page.locator('.badge.good').first().waitFor();
  receiver.close();
});
