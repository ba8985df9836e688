// Everything else that a link can be, on the smallest phone.
import assert from 'node:assert/strict';

import { journey } from './page.mjs';
import { words } from './words.mjs';
import { bank, clock, PAYER, sendElsewhere, shop, STRANGER } from './world.mjs';

const { LOGO, PENNILESS_KEY, TEST_BANK } = process.env;

await journey(async ({ onSmallPhone }) => {
  const payer = await onSmallPhone();

  /** What the page says of a link that is opened. */
  const opened = async (link, said) => {
    await payer.open(link);
    await payer.reads(said);
  };
  /** What it says after a reference was typed. */
  const answered = async (reference, said, who) => {
    await payer.send(reference, who);
    await payer.reads(said);
  };

  /** Whether the page calls for paying, which it must not where somebody has. */
  const calls = () => payer.page.getByText(words.pay).isVisible();

  await opened('link_00000000000000000000000000', words.unknown);
  await payer.look('unknown');

  for (const [how, said] of [['stop', words.stopped], ['cancel', words.canceled], ['reject', words.failed]]) {
    const link = await shop.link();
    await shop.end(link, how, how === 'reject' ? { status_detail: 'Pedido agotado' } : {});
    await opened(link, said);
    await payer.look(how);
  }

  // What does not break by itself, and as much money as a link can ask for.
  const longest = { description: `Pedido ${'1742'.repeat(40)}`, amount: 999_999_999_999.99 };
  await payer.open(await shop.link(longest));
  await payer.look('long');
  await payer.open(await shop.link({ ...longest, description: 'Electroencefalografistas '.repeat(18) }));
  await payer.look('long-words');

  await shop.setProfile({
    public_name: 'Tienda Ejemplo', support_phone: '0212-1234567', whatsapp: '0414-1234567',
    support_email: 'atencion.a.quienes.pagan@tienda-con-un-nombre-largo.example',
    support_url: 'https://ayuda.tienda-con-un-nombre-largo.example/pagos?de=enlace',
  });
  await shop.shows(Buffer.from(LOGO, 'base64'));
  await payer.open(await shop.link());
  await payer.page.getByRole('heading', { name: words.contact }).waitFor();
  const hrefs = payer.page.locator('.contacts a').evaluateAll((all) => all.map((one) => one.href));
  assert.deepEqual(await hrefs, [
    'https://wa.me/584141234567', 'tel:+582121234567',
    'mailto:atencion.a.quienes.pagan@tienda-con-un-nombre-largo.example',
    'https://ayuda.tienda-con-un-nombre-largo.example/pagos?de=enlace',
  ]);
  const logo = payer.page.getByRole('img', { name: 'Tienda Ejemplo' });
  assert.deepEqual(await logo.evaluate((img) => [img.naturalWidth, img.width, img.height]), [320, 160, 60]);
  await payer.look('contact');

  await opened(await shop.link({ currency: 'USD', amount: 35 }), words.closed);
  await payer.look('no-rate');

  // What the merchant changes while the page is open.
  const changed = await shop.link();
  await payer.open(changed);
  await shop.change(changed, { amount: 1300 });
  await answered('99999999', words.changed);
  assert.ok(await calls());
  await payer.look('changed');

  // Nothing is there, it is of another amount, or it paid something else: one answer.
  const link = await shop.link();
  await payer.open(link);
  assert.ok(await calls());
  await answered('99999999', words.unconfirmed);
  assert.deepEqual(await payer.typed(), { reference: '99999999', ...PAYER });
  assert.ok(!(await calls()));
  await payer.look('unconfirmed');
  const other = await bank.pay(99.5);
  await clock.pass(3);
  await answered(other, words.unconfirmed, STRANGER);
  // A payer who knows who paid is shown it.
  await clock.pass(3);
  await answered(other, words.otherAmount);
  await payer.look('other-amount');

  const used = await bank.pay();
  const first = await shop.link();
  await clock.pass(3);
  await payer.open(first);
  await answered(used, words.paid);
  await clock.pass(3);
  await payer.open(link);
  await answered(used, words.unconfirmed);

  await bank.fail('http_500');
  await clock.pass(3);
  await answered(await bank.pay(), words.unheard);
  await payer.look('unheard');
  await bank.fail('none');

  const crowded = await shop.link();
  await bank.fail('slow', 20_000);
  await clock.pass(30);
  await payer.open(crowded);
  await Promise.all(['77770001', '77770002', '77770003'].map((one) => sendElsewhere(crowded, one)));
  await answered('99999999', words.tooMany);
  await payer.look('too-many');
  await bank.fail('none');

  const penniless = await shop.link({}, PENNILESS_KEY);
  await payer.open(penniless);
  await answered('99999999', words.noCredits);
  assert.ok(!(await calls()));
  await payer.look('no-credits');

  const sandbox = await shop.link({ user_bank_id: TEST_BANK });
  await payer.open(sandbox);
  await payer.page.getByText(words.test).waitFor();
  await payer.look('sandbox');

  const short = await shop.link({ expiration_time: 1 });
  await payer.open(short);
  await clock.pass(60);
  await payer.send('99999999');
  await payer.reads(words.expired);
  await payer.look('expired');

  await payer.sendFromElsewhere(await shop.link());
  await payer.reads(words.elsewhere);
  await payer.look('elsewhere');

  await shop.closes(TEST_BANK);
  await opened(sandbox, words.closed);
  assert.ok(!(await calls()));
  await payer.look('closed');
});
