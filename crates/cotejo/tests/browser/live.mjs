// A payer with a telephone pays, and the page turns by itself when the bank has answered.
import assert from 'node:assert/strict';

import { journey } from './page.mjs';
import { words } from './words.mjs';
import { bank, clock, shop } from './world.mjs';

await journey(async ({ onPhone }) => {
  const link = await shop.link({ redirect_url: 'https://tienda.example/gracias' });
  const payer = await onPhone();
  await payer.open(link);
  await payer.isLight();
  for (const fact of ['Pedido 1742', words.amount, 'Banco de Venezuela (0102)', '0412-0000001',
    'J-123456784', '0102 0000 8900 0000 0001', words.until]) {
    await payer.page.getByText(fact).first().waitFor();
  }
  await payer.look('form');

  const copies = await payer.page.locator('[data-copy]').all();
  assert.ok(copies.length >= 4);
  for (const copy of copies) {
    await copy.tap();
    await payer.page.locator('#told', { hasText: words.copied }).waitFor();
    const wanted = await copy.getAttribute('data-copy');
    assert.equal(await payer.page.evaluate(() => navigator.clipboard.readText()), wanted);
  }

  const reference = await bank.pay();
  await bank.fail('slow', 20_000);
  await payer.send(reference.slice(-6));
  await payer.reads(words.checking);
  await clock.hold();
  assert.equal(await shop.status(link), 'pending');
  await payer.look('checking');
  await clock.pass(11);
  await payer.reads(words.slow);
  await payer.look('slow');
  await clock.pass(10);
  await clock.flow();
  await payer.reads(words.paid);
  assert.equal(await shop.status(link), 'paid');
  assert.equal(payer.posts, 1);
  await payer.look('paid');
});
