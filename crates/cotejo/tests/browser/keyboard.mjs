// A payer without a mouse: every control is reached in its order, is seen, and does what it says.
import assert from 'node:assert/strict';

import { journey } from './page.mjs';
import { words } from './words.mjs';
import { bank, clock, shop } from './world.mjs';

const CONTROLS = 'a[href], button:not([hidden]), input:not([type=hidden]), summary';

/** Goes from control to control; answers what has been passed. */
async function walk(payer) {
  const controls = await payer.page.locator(CONTROLS).locator('visible=true').all();
  for (const control of controls) {
    await payer.page.keyboard.press('Tab');
    const name = await control.evaluate((one) => one.outerHTML);
    assert.ok(await control.evaluate((one) => one === document.activeElement), `no way to ${name}`);
    const outline = await control.evaluate((one) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(one);
      return outlineStyle === 'none' ? 0 : parseFloat(outlineWidth);
    });
    assert.ok(outline >= 2, `nobody sees that the focus is on ${name}`);
  }
  return controls;
}

async function isOn(payer, selector) {
  assert.ok(await payer.page.locator(`${selector}:focus`).count(), `the focus is not on ${selector}`);
}

await journey(async ({ atDesk }) => {
  const link = await shop.link();
  const payer = await atDesk();
  const { keyboard } = payer.page;
  await payer.open(link);
  const controls = await walk(payer);
  assert.ok(controls.length >= 6);
  await payer.keep('focus');
  for (const _ of controls.slice(1)) await keyboard.press('Shift+Tab');
  await keyboard.press('Enter');
  await payer.page.locator('#told', { hasText: words.copied }).waitFor();
  // All at once, too.
  await payer.page.locator('.all').first().focus();
  await keyboard.press('Enter');
  await payer.page.locator('#told', { hasText: 'Pago móvil' }).waitFor();
  const copied = await payer.page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, ['0102', '04120000001', 'J123456784', '1250,75'].join('\n'));

  // What is wrong has the focus, so that it can be put right at once.
  await payer.fill('');
  await payer.page.locator('#reference').focus();
  await keyboard.type('1234');
  await keyboard.press('Enter');
  await payer.page.locator('#reference-wrong').waitFor();
  await isOn(payer, '#reference');
  await payer.look('wrong');

  await payer.fill('99999999', { phone: '', document: '' });
  await keyboard.press('Enter');
  await payer.page.locator('#payer-wrong').waitFor();
  await isOn(payer, '#phone');
  await payer.look('payer-missing');

  await payer.fill('99999999');
  await keyboard.press('Enter');
  await payer.reads(words.unconfirmed);
  await walk(payer);

  const reference = await bank.pay();
  await bank.fail('slow', 20_000);
  await payer.fill('');
  await payer.page.locator('#reference').focus();
  await keyboard.type(reference);
  await keyboard.press('Enter');
  await payer.reads(words.checking);
  await clock.hold();
  // Meanwhile another reference can be sent, once the form is unfolded.
  await walk(payer);
  await payer.page.locator('summary').first().focus();
  await keyboard.press('Enter');
  await payer.page.locator('#reference').waitFor();
  assert.ok(!(await payer.page.getByText(words.pay).isVisible()), 'a payer who waits is asked to pay');
  await payer.look('unfolded');
  await clock.flow();
  await clock.pass(20);
  await payer.reads(words.paid);
});
