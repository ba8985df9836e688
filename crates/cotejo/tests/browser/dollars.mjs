// A link in dollars: from the price to the amount in bolívares, and to a payment by the rate that was held. The first link is
// older than the first rate, so that its payer asks for it; with the others it is there at once.
import assert from 'node:assert/strict';

import { journey } from './page.mjs';
import { words } from './words.mjs';
import { bank, clock, rate, shop } from './world.mjs';

await journey(async ({ onPhone, onSmallPhone, withoutScript }) => {
  const payer = await onSmallPhone();
  const wanted = { currency: 'USD', amount: 10, rate_expiration_time: 1 };
  const link = await shop.link(wanted);

  await payer.open(link);
  await payer.reads(words.closed);
  await payer.asksForRate();
  await payer.reads(words.noRate);
  await payer.look('no-rate-told');

  await rate.publish('872.3927');
  await payer.open(link);
  await payer.page.getByRole('heading', { name: words.inBolivares }).waitFor();
  await payer.look('offer');

  await payer.asksForRate();
  await payer.page.getByText(words.held).waitFor();
  await payer.look('held');
  const first = await bank.pay(8723.93);

  // The minute goes by, and the rate is corrected: the payer says which amount was paid.
  await clock.pass(61);
  await payer.open(link);
  await payer.page.getByRole('heading', { name: words.ended }).waitFor();
  await payer.look('ended');
  await rate.publish('880');
  await payer.asksForRate();
  await payer.page.getByText(words.heldAgain).waitFor();
  await payer.look('two-amounts');
  await payer.page.getByLabel(words.former).check();
  // What was chosen is still chosen where the reference was wrong.
  await payer.send('99999999');
  await payer.reads(words.unconfirmed);
  assert.ok(await payer.page.getByLabel(words.former).isChecked());
  await clock.pass(3);
  await payer.send(first);
  await payer.reads(words.paid);
  await payer.look('paid');

  // Of another time: only the merchant can say what it is for.
  const other = await shop.link(wanted);
  const late = await onPhone();
  await late.open(other);
  await late.page.getByText(words.heldAgain).waitFor();
  await late.look('held-at-once');
  // The bank shows minutes alone, and five more are forgiven.
  await clock.pass(430);
  const reference = await bank.pay(8800);
  await late.open(other);
  await late.send(reference);
  await late.reads(words.outside);
  await late.look('outside');

  // Without scripts it is the same.
  const plain = await withoutScript();
  const third = await shop.link(wanted);
  await clock.pass(61);
  await plain.open(third);
  await plain.page.getByRole('heading', { name: words.ended }).waitFor();
  await plain.asksForRate();
  await plain.page.getByText(words.heldAgain).waitFor();
  await clock.pass(3);
  await plain.send(await bank.pay(8800));
  await plain.reads(words.paid);
});
