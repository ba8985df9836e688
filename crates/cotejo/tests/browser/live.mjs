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
    'J-123456784', 'Tienda Ejemplo, C.A.', words.until]) {
    await payer.page.getByText(fact).first().waitFor();
  }
  await payer.look('form');

  // The way that most pay is there at once, the other one unfolds.
  await payer.page.locator('summary').tap();
  await payer.page.getByText('0102 0000 8900 0000 0001').waitFor();
  await payer.look('transfer');

  const copies = await payer.page.locator('[data-copy]').all();
  assert.ok(copies.length >= 8);
  for (const copy of copies) {
    await copy.scrollIntoViewIfNeeded();
    const before = await copy.boundingBox();
    await copy.tap();
    const spoken = `${words.copied}: ${await copy.locator('.unseen').textContent()}`;
    await payer.page.locator('#told', { hasText: spoken }).waitFor();
    assert.deepEqual(await copy.boundingBox(), before, 'a button that moves');
    const wanted = await copy.getAttribute('data-copy');
    assert.equal(await payer.page.evaluate(() => navigator.clipboard.readText()), wanted);
  }

  const all = await payer.page.locator('.all').first().getAttribute('data-copy');
  assert.equal(all, ['0102', '04120000001', 'J123456784', '1250,75'].join('\n'));

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

  // The facts are there at once, and lead to the receipt.
  await payer.page.getByText(reference.slice(-6)).first().waitFor();
  await payer.page.getByRole('link', { name: words.receipt }).tap();
  await payer.page.getByRole('button', { name: words.print }).waitFor();
  await payer.look('receipt');
});
