// How somebody uses a page: by touch, by its keys alone, or by touch where no script runs.
import assert from 'node:assert/strict';

import { HANDS } from './world.mjs';

/** Goes on by the key until what that selector names has the focus. */
async function tabTo(page, selector) {
  for (let presses = 0; presses < 90; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate((one) => document.activeElement.matches(one), selector)) return;
  }
  assert.fail(`no way to ${selector} by the keyboard`);
}

const byTouch = (page) => ({
  fill: (selector, text) => page.locator(selector).fill(text),
  choose: (selector, label) => page.locator(selector).selectOption({ label }),
  press: (selector) => page.locator(selector).first().click(),
});

const byKeys = (page) => ({
  async fill(selector, text) {
    if (!(await page.locator(`${selector}:focus`).count())) await tabTo(page, selector);
    await page.keyboard.press('Control+A');
    await page.keyboard.type(text);
  },
  async choose(selector, text) {
    await tabTo(page, selector);
    await page.keyboard.type(text);
  },
  async press(selector) {
    await tabTo(page, selector);
    await page.keyboard.press('Enter');
  },
});

/** Whether scripts run for a person who uses pages so. */
export const runsScripts = HANDS !== 'plain';

/** What uses a page. */
export const hands = HANDS === 'keys' ? byKeys : byTouch;

/** Opens a browser for a person who uses pages so. */
export function open({ atDesk, onPhone, withoutScript }) {
  return { keys: atDesk, touch: onPhone, plain: withoutScript }[HANDS]();
}
