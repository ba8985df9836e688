// A subscription in dollars: the link of its period shows bolívares at once, and is paid by that amount though the rate
// changes meanwhile. Its receipt says both, and how one became the other.
import assert from 'node:assert/strict';

import { open } from './hands.mjs';
import { comesBack, lists, said, shared, stands, subscribe } from './merchant.mjs';
import { journey } from './page.mjs';
import { lookHere, signIn } from './panel.mjs';
import { words } from './words.mjs';
import { bank, rate, SERVICE, shop } from './world.mjs';

const { USER_BANK } = process.env;

/** The link shows what is to be paid, by which rate, and has no button that asks for it. */
async function shows({ page }, link, amount, line) {
  await page.goto(link);
  for (const text of [amount, line]) await page.locator('header').getByText(text, { exact: true }).waitFor();
  assert.equal(await page.locator('form:not(.tell)').count(), 0);
}

/** The value of a fact, which its name stands before. */
const fact = (page, name) => page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) }).locator('dd');

await journey(async (browsers) => {
  await rate.publish('872.3927');
  const merchant = await open(browsers);
  await signIn(merchant);
  const path = await subscribe(merchant, USER_BANK, { amount: '10', currency: said.dollars });
  const [link, own] = [await shared(merchant, 'share'), await shared(merchant, 'payer')];

  const payer = await open(browsers);
  const { page } = payer;
  await shows(payer, link, words.inBs, words.held);
  await payer.look('held');

  // Another rate is for whoever asks from then on.
  await rate.publish('880');
  const product = { productName: 'Mensualidad del gimnasio', productPrice: 10 };
  const { paymentLinkId } = await shop.subscribes({ currency: 'USD', uniqueProduct: product });
  await shows(payer, `${SERVICE}/pay/${paymentLinkId}`, words.inBsAgain, words.heldAgain);
  await shows(payer, link, words.inBs, words.held);
  await payer.send(await bank.pay(8723.93));
  await payer.reads(words.paid);
  await page.locator('section[aria-labelledby="paid"]').getByText(words.inBs, { exact: true }).waitFor();
  await payer.look('paid');

  await page.getByRole('link', { name: words.receipt }).click();
  await page.getByRole('heading', { level: 1, name: /000001$/ }).waitFor();
  await page.locator('.facts').getByText(words.inBs, { exact: true }).waitFor();
  await fact(page, words.price).getByText(words.inDollars, { exact: true }).waitFor();
  await fact(page, words.rate).getByText(words.rateOf, { exact: true }).waitFor();
  assert.equal(await page.locator('.mark, aside.test').count(), 0, 'it is money');
  await payer.look('receipt');

  await page.goto(own);
  await payer.reads(words.upToDate);
  await page.locator('section[aria-labelledby="paid"]').getByText(words.inDollars, { exact: true }).waitFor();
  await comesBack(merchant, path);
  await stands(merchant, said.upToDate);
  await lists(merchant, [[1, said.cyclePaid]]);
  await lookHere(merchant, 'paid');
});
