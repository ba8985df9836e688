// A customer is subscribed in test mode and pays; the subscription is paused for a period, resumed, and canceled. Merchant
// and payer see the same of it, and everywhere that it is a test.
import assert from 'node:assert/strict';

import { open } from './hands.mjs';
import { comesBack, lists, presses, said, shared, stands, subscribe } from './merchant.mjs';
import { journey } from './page.mjs';
import { lookHere, signIn, testMode } from './panel.mjs';
import { words } from './words.mjs';
import { SERVICE } from './world.mjs';

const { TEST_BANK } = process.env;

/** The period that is skipped, and the one after it. */
const [SKIPPED, NEXT] = ['20/12/2026', '20/01/2027'];

/** Waits until a page of the payer's says that it is a test. */
async function isTest({ page }) {
  await page.locator('aside.test', { hasText: words.test }).waitFor();
}

/** The message that the merchant sends says that it is no call for money. */
async function isSentAsTest({ page }, link) {
  const card = page.locator('section[aria-labelledby="share"]');
  const message = (await card.locator('code').nth(1).textContent()).trim();
  assert.ok(message.startsWith(said.notToPay) && message.endsWith(link), message);
  const sent = new URL(await card.locator('a[href^="https://wa.me/584141234567?"]').getAttribute('href'));
  assert.equal(sent.searchParams.get('text'), message);
}

/** A list of the merchant's marks what leads there as a test. */
async function isListedAsTest({ page }, list, place) {
  await page.goto(`${SERVICE}${list}`);
  const row = page.locator('tbody tr').filter({ has: page.locator(`a[href^="${place}"]`) });
  await row.getByText(said.test, { exact: true }).waitFor();
}

/** The payer opens the link that was shared, pays by a reference of the test bank, and goes on to the receipt. */
async function pays(payer, link) {
  const { page } = payer;
  await page.goto(link);
  await isTest(payer);
  await page.locator('.amount', { hasText: words.amount }).waitFor();
  await payer.send('167890');
  await payer.reads(words.paid);
  await isTest(payer);
  const facts = page.locator('section[aria-labelledby="paid"]');
  for (const fact of [words.amount, '167890', words.testReceipt]) {
    await facts.getByText(fact, { exact: true }).waitFor();
  }
  await payer.look('paid');
  await facts.getByRole('link', { name: words.receipt }).click();
  await page.getByRole('heading', { name: words.testReceipt }).waitFor();
  // It never looks like the receipt of money.
  await page.getByRole('heading', { level: 1, name: /P-000001$/ }).waitFor();
  assert.ok((await page.title()).startsWith(words.testReceipt), await page.title());
  await payer.look('receipt');
}

await journey(async (browsers) => {
  const merchant = await open(browsers);
  const { page } = merchant;
  await signIn(merchant);
  await testMode(merchant, true);
  const path = await subscribe(merchant, TEST_BANK, { amount: '1250,75' });
  await stands(merchant, said.awaitsFirst);
  await stands(merchant, said.test);
  const first = await shared(merchant, 'share');
  await isSentAsTest(merchant, first);
  const own = await shared(merchant, 'payer');
  await lookHere(merchant, 'made');

  const payer = await open(browsers);
  /** The page of the payer says so. */
  const payerReads = async (title, text) => {
    await payer.page.goto(own);
    await payer.reads(title);
    await payer.page.getByText(text).first().waitFor();
    await isTest(payer);
  };
  await pays(payer, first);
  await payerReads(words.upToDate, `${words.next} ${SKIPPED}`);

  await isListedAsTest(merchant, '/app/receipts', '/app/receipts/');
  await isListedAsTest(merchant, '/app/subscriptions', path);
  await comesBack(merchant, path);
  await stands(merchant, said.upToDate);
  await lists(merchant, [[1, said.cyclePaid]]);

  // The period that runs is paid. The next one is not asked for.
  await presses(merchant, said.pause, 'pause');
  await page.getByText(`${said.pausesOn} ${SKIPPED}`).waitFor();
  await presses(merchant, `${said.toDueDay} ${SKIPPED}`, 'clock');
  await stands(merchant, said.paused);
  await lists(merchant, [[1, said.cyclePaid]]);
  await lookHere(merchant, 'paused');
  await payerReads(words.isPaused, words.pausedText);
  assert.equal(await payer.page.locator('section[aria-labelledby="owed"]').count(), 0);
  await payer.look('paused');

  // From then on it goes by its own calendar.
  await presses(merchant, said.resume, 'resume');
  await payerReads(words.upToDate, `${words.next} ${NEXT}`);
  await presses(merchant, `${said.toDueDay} ${NEXT}`, 'clock');
  await stands(merchant, said.upToDate);
  await lists(merchant, [[3, said.cycleOpen], [1, said.cyclePaid]]);
  const third = await shared(merchant, 'share');
  assert.notEqual(third, first);
  await payerReads(words.upToDate, `${words.dueOn} ${NEXT}`);

  // At the end of the period, which is taken back; then at once.
  await presses(merchant, said.end, 'end');
  await page.getByText(`${said.endsOn} 20/02/2027`).waitFor();
  await payerReads(words.isCanceled, '19/02/2027');
  await lookHere(merchant, 'ending');
  await presses(merchant, said.keep, 'undo-cancel');
  assert.equal(await page.getByText(said.endsOn).count(), 0);
  await payerReads(words.upToDate, `${words.dueOn} ${NEXT}`);
  await page.getByLabel(said.sure, { exact: true }).check();
  await presses(merchant, said.cancel, 'cancel');
  await stands(merchant, said.canceled);
  await stands(merchant, said.test);
  assert.equal(await page.locator('#acts, #clock').count(), 0, 'there is nothing more to be done with it');
  await lookHere(merchant, 'canceled');

  await payerReads(words.isCanceled, words.nothingMore);
  assert.equal(await payer.page.locator('section[aria-labelledby="owed"]').count(), 0);
  // What was paid stays, with its receipt.
  await payer.page.getByRole('link', { name: words.receipt }).waitFor();
  await payer.look('canceled');
  await payer.page.goto(third);
  await payer.reads(words.canceled);
  await isTest(payer);
});
