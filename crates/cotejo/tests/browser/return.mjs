// Payers who leave, who lose the line, and who touch twice: the page tells the truth, and asks once.
import assert from 'node:assert/strict';

import { journey } from './page.mjs';
import { words } from './words.mjs';
import { bank, clock, shop } from './world.mjs';

/** Types a reference of which the bank takes its time to tell. */
async function begin(payer, link) {
  const reference = await bank.pay();
  await clock.pass(3);
  await bank.fail('slow', 20_000);
  await payer.open(link);
  await payer.fill(reference.slice(-8));
}

async function leaves(onPhone) {
  const link = await shop.link();
  const payer = await onPhone();
  await begin(payer, link);
  await payer.button.tap();
  await payer.reads(words.checking);
  await clock.hold();
  await payer.page.close();

  await payer.begin();
  await payer.open(link);
  await payer.reads(words.checking);
  await payer.page.close();

  await clock.pass(20);
  await clock.flow();
  await payer.begin();
  await payer.open(link);
  await payer.reads(words.paid);
  assert.equal(await shop.status(link), 'paid');
}

async function losesTheLine(onPhone) {
  const link = await shop.link();
  const payer = await onPhone();
  await begin(payer, link);
  await payer.button.tap();
  await payer.reads(words.checking);
  await clock.hold();
  // A stream lasts a quarter of a minute; whoever listens takes the next.
  const resumed = payer.page.waitForRequest((request) => request.url().includes('/events'));
  await clock.pass(16);
  await resumed;
  await clock.pass(5);
  await clock.flow();
  await payer.reads(words.paid);
}

async function losesTheNetwork(onPhone) {
  const link = await shop.link();
  const payer = await onPhone();
  await payer.page.clock.install();
  await begin(payer, link);
  await payer.button.tap();
  await payer.reads(words.checking);
  await clock.hold();
  await payer.goesOffline(true);
  await clock.pass(20);
  // The page gives the events up and looks, in vain; what it said stays.
  for (let look = 0; look < 3; look += 1) {
    const failed = payer.page.waitForEvent('requestfailed', (request) => request.resourceType() === 'fetch');
    await payer.page.clock.fastForward(26_000);
    await failed;
    await payer.reads(words.checking);
  }
  await clock.flow();
  await payer.goesOffline(false);
  await payer.page.clock.fastForward(4_000);
  await payer.reads(words.paid);
}

async function typesMeanwhile(onPhone) {
  const link = await shop.link();
  const payer = await onPhone();
  await begin(payer, link);
  await payer.button.tap();
  await payer.reads(words.checking);
  await clock.hold();
  await payer.page.locator('summary').tap();
  await payer.fill('123');
  await clock.pass(11);
  await payer.reads(words.slow);
  await clock.pass(10);
  await clock.flow();
  await payer.reads(words.paid);
  assert.equal(await payer.page.locator('#reference').inputValue(), '123');
}

async function touchesTwice(onPhone) {
  const link = await shop.link();
  const payer = await onPhone();
  await begin(payer, link);
  const before = await shop.attempts();
  await payer.touchTwice();
  await payer.reads(words.checking);
  assert.equal(payer.posts, 1);
  await clock.pass(20);
  await payer.reads(words.paid);
  assert.equal(await shop.attempts(), before + 1);
}

await journey(async ({ onPhone }) => {
  await leaves(onPhone);
  await losesTheLine(onPhone);
  await losesTheNetwork(onPhone);
  await typesMeanwhile(onPhone);
  await touchesTwice(onPhone);
});
