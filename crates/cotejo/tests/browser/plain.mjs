// A payer whose browser runs no script: forms, answers, and a page that is loaded again.
import assert from 'node:assert/strict';

import { journey } from './page.mjs';
import { words } from './words.mjs';
import { bank, clock, PAYER, SERVICE, shop } from './world.mjs';

await journey(async ({ withoutScript }) => {
  const link = await shop.link();
  const payer = await withoutScript();
  const { page } = payer;
  await payer.open(link);
  assert.equal(await page.locator('[data-copy]:visible').count(), 0, 'a button that does nothing');
  await payer.look('form');

  await payer.send('12');
  await page.locator('#reference-wrong').waitFor();
  assert.equal(await page.locator('#reference').inputValue(), '12');
  await payer.look('wrong');

  await payer.send('99999999');
  await payer.reads(words.unconfirmed);
  // What was typed is in the answer to the form, and not where anybody can look.
  assert.deepEqual(await payer.typed(), { reference: '99999999', ...PAYER });
  assert.equal(page.url(), `${SERVICE}/pay/${link}`);
  await payer.look('unconfirmed');

  // Nothing but the server keeps a second touch from asking twice.
  const reference = await bank.pay();
  await bank.fail('slow', 20_000);
  const before = await shop.attempts();
  await payer.fill(reference);
  const { posts } = payer;
  await payer.touchTwice();
  await payer.reads(words.checking);
  await clock.hold();
  await payer.keep('checking');
  await page.reload();
  await payer.reads(words.checking);

  // The page looks again by itself.
  await clock.pass(20);
  await clock.flow();
  await payer.reads(words.paid);
  assert.equal(await shop.status(link), 'paid');
  assert.equal(payer.posts, posts + 2);
  assert.equal(await shop.attempts(), before + 1);
  await payer.look('paid');
});
