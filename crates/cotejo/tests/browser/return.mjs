// Payers who leave, who lose the line, and who touch twice: the page tells the truth, and asks once.
import assert from 'node:assert/strict';

import { journey } from './page.mjs';
import { words } from './words.mjs';
import { bank, clock, PAYER, SERVICE, shop } from './world.mjs';

/** Types a reference of which the bank takes its time to answer. */
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
  // A stream lasts a quarter of a minute; a listener takes the next.
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
  await payer.page.locator('summary').first().tap();
  await payer.fill('123');
  await clock.pass(11);
  await payer.reads(words.slow);
  await clock.pass(10);
  await clock.flow();
  await payer.reads(words.paid);
  assert.equal(await payer.page.locator('#reference').inputValue(), '123');
}

/** What a slow bank does not find stands in the form again, for its payer alone. */
async function typesOnce(onPhone) {
  const link = await shop.link();
  const payer = await onPhone();
  await payer.open(link);
  await clock.pass(3);
  await bank.fail('slow', 20_000);
  const typed = { reference: '99999999', ...PAYER };
  await payer.send(typed.reference);
  await payer.reads(words.checking);
  await clock.hold();
  await clock.pass(11);
  await payer.reads(words.slow);
  await clock.pass(10);
  await clock.flow();
  await payer.reads(words.unconfirmed);
  assert.deepEqual(await payer.typed(), typed);
  await bank.fail('none');

  // Loading the page again keeps it, and sends nothing.
  const { posts } = payer;
  await payer.page.reload();
  await payer.reads(words.unconfirmed);
  assert.deepEqual(await payer.typed(), typed);

  // The same where the bank is quick and the page is the answer to the form.
  await clock.pass(3);
  await payer.fill('88888888');
  await payer.button.tap();
  await payer.page.locator('#reference[value="88888888"]').waitFor();
  assert.equal(payer.posts, posts + 1);
  await payer.page.reload();
  await payer.reads(words.unconfirmed);
  assert.deepEqual(await payer.typed(), { ...typed, reference: '88888888' });
  assert.equal(payer.posts, posts + 1);

  // Not even half of it is lost where the browser needs the memory while the payer looks at the bank.
  await payer.fill('7777');
  await payer.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await payer.page.reload();
  assert.deepEqual(await payer.typed(), { ...typed, reference: '7777' });

  // Nobody else sees it: not by its address, not even in another tab or by opening the link anew.
  const address = payer.page.url();
  assert.ok(address.startsWith(`${SERVICE}/pay/${link}?v=ver_`) && !address.includes('9999'), address);
  const nothing = { reference: '', phone: '', document: '' };
  const kept = () => payer.page.evaluate(() => sessionStorage.length + localStorage.length);
  await payer.open(link);
  assert.deepEqual([await payer.typed(), await kept()], [nothing, 0]);
  const another = await onPhone();
  await another.page.goto(address);
  await another.reads(words.unconfirmed);
  assert.deepEqual(await another.typed(), nothing);
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
  await typesOnce(onPhone);
  await touchesTwice(onPhone);
});
