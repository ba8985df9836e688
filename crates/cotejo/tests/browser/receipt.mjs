// Whoever paid by a phone keeps the receipt: as a file, on paper, and by the code that leads to its page.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { open, runsScripts } from './hands.mjs';
import { journey } from './page.mjs';
import { notForPaper } from './panel.mjs';
import { words } from './words.mjs';
import { bank, shop } from './world.mjs';

const { LOGO, MODULES, PICTURES } = process.env;
const require = createRequire(join(MODULES, 'here.js'));
const READER = readFileSync(require.resolve('jsqr'), 'utf8');

/** What a printer leaves of a roll of 80 mm and of a sheet of A4 between its margins, in the pixels of a style sheet. */
const PAPERS = { roll: 265, sheet: 756 };

/** A text without whatever separates words and lines. */
const packed = (text) => text.replace(/\s/g, '');

/** The PDF comes as a file whose name says its number; answers what it says. */
async function downloads({ page }) {
  const coming = page.waitForEvent('download');
  await page.getByRole('link', { name: words.download }).tap();
  const download = await coming;
  assert.equal(download.suggestedFilename(), words.file);
  const path = join(PICTURES, words.file);
  await download.saveAs(path);
  assert.equal(readFileSync(path).subarray(0, 5).toString(), '%PDF-');
  return packed(execFileSync('pdftotext', ['-raw', path, '-'], { encoding: 'utf8' }));
}

/** On paper it fits, is white, and has nothing to press, also where the phone's screen is dark. */
async function isPrinted(payer) {
  const { page } = payer;
  const size = page.viewportSize();
  for (const [paper, width] of Object.entries(PAPERS)) {
    await page.setViewportSize({ width, height: size.height });
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ media: 'print', colorScheme });
      const state = `${paper}-${colorScheme}`;
      await payer.keep(state);
      assert.deepEqual(await page.evaluate(notForPaper, width), [], state);
      for (const part of ['h1', '.amount', '.notes', 'svg.code', '.self a']) {
        assert.ok(await page.locator(part).first().isVisible(), `${state}: no ${part}`);
      }
    }
  }
  await page.emulateMedia({ media: null, colorScheme: 'light' });
  await page.setViewportSize(size);
}

/** The button that prints is there where a script can do that. */
async function hasPrintButton({ page }) {
  const button = page.getByRole('button', { name: words.print });
  if (!runsScripts) return assert.equal(await button.count(), 0, 'a button that does nothing');
  await page.evaluate(() => { window.print = () => { document.body.dataset.printed = 'yes'; }; });
  await button.tap();
  await page.locator('body[data-printed]').waitFor();
}

/** What a camera reads in a picture of the code. */
async function scan(page, picture) {
  await page.evaluate(`typeof jsQR === 'undefined' && (() => { ${READER} })()`);
  return page.evaluate(async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (one) => one.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const paper = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    paper.drawImage(bitmap, 0, 0);
    const { data, width, height } = paper.getImageData(0, 0, bitmap.width, bitmap.height);
    return jsQR(data, width, height)?.data;
  }, picture.toString('base64'));
}

/** Somebody is shown the receipt on the phone, and comes to the same page by its code. */
async function leadsToItself({ page }, shown) {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    const address = await scan(shown.page, await page.locator('svg.code').screenshot());
    assert.equal(address, page.url(), colorScheme);
    await shown.page.goto(address);
    await shown.page.getByRole('heading', { level: 1, name: /000001$/ }).waitFor();
  }
}

await journey(async (browsers) => {
  await shop.setProfile({ public_name: 'Tienda Ejemplo' });
  await shop.shows(Buffer.from(LOGO, 'base64'));
  const payer = await open(browsers);
  const { page } = payer;
  await payer.open(await shop.link());
  const reference = await bank.pay();
  await payer.send(reference);
  await payer.reads(words.paid);
  await page.getByRole('link', { name: words.receipt }).tap();
  await page.waitForURL(/\/recibo\/[^/]+$/);
  const title = await page.locator('h1').textContent();
  assert.match(title, /000001$/);
  await payer.look('receipt');

  const text = await downloads(payer);
  for (const part of [title, 'Tienda Ejemplo', words.amount, reference.slice(-8), 'Pedido 1742', page.url()]) {
    assert.ok(text.includes(packed(part)), `${part}: ${text}`);
  }
  await isPrinted(payer);
  await hasPrintButton(payer);
  await leadsToItself(payer, await browsers.atDesk());
});
