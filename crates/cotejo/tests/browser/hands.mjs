// How somebody uses a page: by touch, by its keys alone, or by touch where no script runs.
import assert from 'node:assert/strict';

import { HANDS } from './world.mjs';

/** Whether what that selector names has the focus. Nothing has it on a page that just loads itself again. */
async function hasFocus(page, selector) {
  try {
    return await page.evaluate((one) => document.activeElement.matches(one), selector);
  } catch (error) {
    if (error.message.includes('Execution context was destroyed')) return false;
    throw error;
  }
}

/** Goes on by the key until what that selector names has the focus. */
async function tabTo(page, selector) {
  // A page that waits for something loads itself again, which takes the focus back to its beginning.
  for (let presses = 0; presses < 90; presses += 1) {
    await page.keyboard.press('Tab');
    if (await hasFocus(page, selector)) return;
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
