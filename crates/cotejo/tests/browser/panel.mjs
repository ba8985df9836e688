// Somebody who uses the dashboard, and forgives it nothing.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';

import { SERVICE } from './world.mjs';

const { EMAIL, PASSWORD } = process.env;

/** How narrow and how wide a page is looked at. */
const WIDTHS = [320, 1280];

/**
 * How much a first page may weigh with all that comes with it, and the next one: as it is sent, which for pages is without
 * compression (0081), and as gzip would have it.
 */
export const FIRST_MAX = { sent: 60 * 1024, packed: 60 * 1024 };
export const NEXT_MAX = { sent: 30 * 1024, packed: 15 * 1024 };

/** Signs in, and lands on the first page. */
export async function signIn(user, email = EMAIL, password = PASSWORD) {
  const { page } = user;
  await page.goto(`${SERVICE}/`);
  await page.locator('#email').fill(email);
  await page.locator('#password').fill(password);
  await page.locator('form.card button').click();
  await page.waitForURL(`${SERVICE}/app`);
}

/** Goes on by the key until what that selector names has the focus. */
export async function tabTo(page, selector) {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate((one) => document.activeElement.matches(one), selector)) return;
  }
  assert.fail(`no way to ${selector} by the keyboard`);
}

/** The address of a page without what names one thing alone. */
export function kind(path) {
  return path.replace(/[a-z]+_[0-9a-z]{26}/g, '*').replace(/\?(?!bank=).*$/, '');
}

/** Every kind of page that is reached by links from the first one, with an address of it. */
export async function pages(user) {
  const { page } = user;
  const found = new Map([['/app', '/app']]);
  for (const path of found.values()) {
    const answer = await page.goto(`${SERVICE}${path}`);
    assert.equal(answer.status(), 200, path);
    const links = await page.locator('a[href^="/app"]').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    for (const link of links) {
      const isPage = !/\.(json|svg|png|csv)$/.test(link) && !link.includes('#');
      if (isPage && !found.has(kind(link))) found.set(kind(link), link);
    }
  }
  return found;
}

/** Looks at a page: bright and dark, narrow and wide. */
export async function look(user, path, name) {
  const { page } = user;
  await page.goto(`${SERVICE}${path}`);
  await lookHere(user, name);
}

export async function lookHere(user, name) {
  const { page } = user;
  const size = page.viewportSize();
  for (const colorScheme of ['light', 'dark']) {
    user.colorScheme = colorScheme;
    await page.emulateMedia({ colorScheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 780 });
      const state = `${name}, ${width} pixels wide, ${colorScheme}`;
      await user.keep(`${name}-${width}-${colorScheme}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${state}: ${wide} pixels`);
      await user.isAccessible(state);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(size);
  user.findsNoFault();
}

/** What was loaded since `from` weighs no more than that. */
export async function weighsAtMost(user, max, name, from = 0) {
  const found = await weight(user, from);
  for (const [how, bytes] of Object.entries(found)) {
    assert.ok(bytes <= max[how], `${name} weighs ${bytes} bytes ${how}, and may weigh ${max[how]}`);
  }
}

/** What was loaded since `from`, in bytes: as it was sent, and as gzip would have it. */
async function weight(user, from) {
  const bytes = { sent: 0, packed: 0 };
  for (const request of user.requests.slice(from)) {
    if (request.resourceType() === 'eventsource') continue;
    const answer = await request.response();
    if (!answer) continue;
    await answer.finished();
    const { responseHeadersSize, responseBodySize } = await request.sizes();
    bytes.sent += responseHeadersSize + responseBodySize;
    const body = await answer.body().catch(() => Buffer.alloc(0));
    bytes.packed += responseHeadersSize + Math.min(responseBodySize, gzipSync(body).length);
  }
  return bytes;
}
