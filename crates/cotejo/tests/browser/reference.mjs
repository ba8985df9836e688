// Whoever writes a client, and reads the reference of the API on whatever is at hand.
import assert from 'node:assert/strict';

import { journey } from './page.mjs';
import { READS, SERVICE } from './world.mjs';

const OTHER = { es: 'en', en: 'es' }[READS];

/** What is looked at: the top, an operation, a shape, and a code. */
const PLACES = ['main', 'Verify', 'shape-PaymentLink', 'code-NOT_FOUND'];

await journey(async ({ atDesk, withoutScript }) => {
  for (const open of [atDesk, withoutScript]) {
    const reader = await open();
    const { page } = reader;
    await page.goto(`${SERVICE}/docs`);
    assert.equal(await page.locator('html').getAttribute('lang'), READS);
    // Nothing is loaded but the page and its style.
    assert.equal(reader.requests.length, 2);
    await page.getByText(/^(Ejemplo|Example)$/).nth(60).click();
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      reader.colorScheme = colorScheme;
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${wide} pixels in ${width}`);
        for (const place of PLACES) {
          await page.goto(`${SERVICE}/docs#${place}`);
          const name = `${place}-${width}-${colorScheme}`;
          if (open === atDesk) await page.screenshot({ path: `${process.env.PICTURES}/${name}.png` });
        }
      }
      if (open === atDesk) await reader.isAccessible(`the reference, ${colorScheme}`);
    }
    reader.findsNoFault();
  }

  // By keyboard alone: past the list, and to an operation of it.
  const reader = await atDesk();
  const { page } = reader;
  await page.goto(`${SERVICE}/docs/${OTHER}`);
  assert.equal(await page.locator('html').getAttribute('lang'), OTHER);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#main$/);
  await page.locator('nav summary').first().focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#Login$/);
  assert.ok(await page.locator('#Login').isVisible());
});
