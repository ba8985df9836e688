// Somebody who uses the dashboard, and forgives it nothing.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';

import { hands } from './hands.mjs';
import { cutAmounts } from './page.mjs';
import { SERVICE } from './world.mjs';

const { EMAIL, PART, PARTS, PASSWORD, TEMPLATES } = process.env;

/** Where the pages of the dashboard are, as the service declares them. */
export const templates = JSON.parse(TEMPLATES);

/** How narrow and how wide a page is looked at. */
const WIDTHS = [320, 1280];

/**
 * How much a first page may weigh with all that comes with it, and the next one: as it is sent, which for pages is without
 * compression (0096), and as gzip would have it.
 */
export const FIRST_MAX = { sent: 60 * 1024, packed: 60 * 1024 };
export const NEXT_MAX = { sent: 30 * 1024, packed: 15 * 1024 };

/** Signs in, and lands on the first page. */
export async function signIn(user, email = EMAIL, password = PASSWORD) {
  const { page } = user;
  const hand = hands(page);
  await page.goto(`${SERVICE}/`);
  // The page puts who comes where it begins to type.
  await page.locator('#email:focus').waitFor();
  await hand.fill('#email', email);
  await hand.fill('#password', password);
  await hand.press('form.card button');
  await page.waitForURL(`${SERVICE}/app`);
}

/** Switches test mode on or off, on the page that is open. */
export async function testMode({ page }, isOn) {
  await page.locator(`form[action="/app/test-mode"] button[value="${isOn ? 'test' : ''}"]`).first().click();
  await page.locator(isOn ? 'body.test-mode' : 'body:not(.test-mode)').waitFor();
}

/** The address of a page without what names one thing alone. */
export function kind(path) {
  return path.replace(/[a-z]+_[0-9a-z]{26}/g, '*').replace(/\?(?!bank=).*$/, '');
}

/** What is no page, and so is not looked at. */
export const NO_PAGES = {
  '/app/events': 'a stream that pages listen to',
  '/app/webhooks/deliveries/{delivery_id}/evidence': 'a file that is downloaded',
};

/** A link of a page to another. */
const LINK = /<a [^>]*href="(\/app[^"]*)"/g;

/** Which of the templates a page of that address is made by. */
export function templateOf(path) {
  const [place] = path.split('?');
  const isOf = (template) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(place);
  return templates.includes(place) ? place : templates.find(isOf);
}

/**
 * Every kind of page that is reached by links from the first one and from those of these names, with an address of it; of a
 * kind that has a name, those of that name alone.
 */
export async function pages(user, named = {}) {
  const { page } = user;
  const found = new Map([['/app', '/app'], ...Object.entries(named)]);
  const kinds = new Set(Array.from(found.values(), kind));
  for (const path of found.values()) {
    // They are read and not shown: that comes when one is looked at.
    const answer = await page.request.get(`${SERVICE}${path}`);
    assert.equal(answer.status(), 200, path);
    const body = await answer.text();
    isLight(path, body);
    const links = Array.from(body.matchAll(LINK), ([, link]) => link.replaceAll('&amp;', '&'));
    for (const link of links) {
      if (link.includes('#') || templateOf(link) in NO_PAGES || kinds.has(kind(link))) continue;
      kinds.add(kind(link));
      found.set(kind(link), link);
    }
  }
  return found;
}

let turns = 0;

/** Whether this run looks at what comes next: at each of so many, and in a long run at everything. */
export function isTurn() {
  turns += 1;
  return turns % Number(PARTS) === Number(PART);
}

/** Looks at a page as it is, where it is its turn. */
export async function lookInTurn(user, name) {
  if (isTurn()) await lookHere(user, name);
}

/** What the pictures of a page are called. */
export const pictureOf = (name) => name.replaceAll('/', '_').replaceAll('*', 'id').replaceAll('?', '-');

/** Has the page at that address stay as it is, where it would be loaded again by itself. */
export async function stays(user, path) {
  await user.page.route(`${SERVICE}${path}`, async (route) => {
    const response = await route.fetch();
    const { refresh, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
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
      // Further down the band of the test mode would cover what is beneath it.
      await page.evaluate(() => window.scrollTo(0, 0));
      const state = `${name}, ${width} pixels wide, ${colorScheme}`;
      await user.keep(`${name}-${width}-${colorScheme}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${state}: ${wide} pixels`);
      assert.deepEqual(await page.evaluate(cutAmounts), [], `${state}: amounts that are cut in two`);
      await user.isAccessible(state);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await lookOnPaper(user, name);
  await page.setViewportSize(size);
  user.findsNoFault();
}

/** A sheet of A4, upright, in the pixels of a style sheet. */
const SHEET = { width: 794, height: 1123 };

/** Looks at a page as it is printed, by somebody whose screen is dark: it fits, is white, and has nothing to press. */
async function lookOnPaper(user, name) {
  const { page } = user;
  // What is not on paper loses the focus.
  const focused = await page.evaluateHandle(() => document.activeElement);
  await page.setViewportSize(SHEET);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await user.keep(`${name}-paper`);
  assert.deepEqual(await page.evaluate(notForPaper, SHEET.width), [], `${name}, on paper`);
  await page.emulateMedia({ media: null, colorScheme: 'light' });
  await focused.evaluate((one) => one.focus());
}

/** What should not be on a sheet of that width. Runs in the page. */
export function notForPaper(width) {
  const wide = document.documentElement.scrollWidth;
  const found = wide > width ? [`${wide} pixels on a sheet of ${width}`] : [];
  const pressed = document.querySelectorAll('button, nav, .button, .plain, .pager, .filters');
  const isShown = (one) => one.getClientRects().length > 0;
  found.push(...Array.from(pressed).filter(isShown).map((one) => one.outerHTML));
  const light = (color) => color.match(/[\d.]+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 765;
  for (const one of document.querySelectorAll('body, main, .card, table')) {
    const { backgroundColor, color } = getComputedStyle(one);
    const isClear = backgroundColor.endsWith(', 0)');
    if ((!isClear && light(backgroundColor) < 0.95) || light(color) > 0.4) found.push(`${one.tagName}: ${color} on ${backgroundColor}`);
  }
  return found;
}

/** Looks at every page that links lead to, each of which opens; answers which they are. */
export async function lookAround(user) {
  const found = await pages(user);
  for (const [name, path] of found) if (isTurn()) await look(user, path, pictureOf(name));
  return [...found.keys()];
}

/** A page whose style and script are there weighs no more than a next page may. */
function isLight(path, body) {
  for (const [how, bytes] of [['sent', Buffer.byteLength(body)], ['packed', gzipSync(body).length]]) {
    assert.ok(bytes <= NEXT_MAX[how], `${path} weighs ${bytes} bytes ${how}, and may weigh ${NEXT_MAX[how]}`);
  }
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
