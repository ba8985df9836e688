// A payer with a browser, who forgives the page nothing.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { clock, PAYER, READS, SERVICE } from './world.mjs';

const { CHROMIUM, GUIDE, MODULES, PICTURES } = process.env;
const require = createRequire(join(MODULES, 'here.js'));
const { chromium } = require('playwright-core');
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** WCAG 2.2, levels A and AA. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** How many pixels a finger needs. */
const FINGER = 44;

/** How heavy a page may be with everything that comes with it, not even compressed. */
const WEIGHT_MAX = 30 * 1024;

/** How long anything may take to come true, also on a busy machine. */
const PATIENCE_MS = 60_000;

const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync',
  '--disable-background-networking', '--disable-component-update',
];

/** How wide a page is looked at, whatever it was opened on. */
const WIDTHS = [320, 360, 1280];

const PHONE = { viewport: { width: 360, height: 780 }, isMobile: true, hasTouch: true };
const SMALL_PHONE = { viewport: { width: 320, height: 568 }, isMobile: true, hasTouch: true };
const DESK = { viewport: { width: 1280, height: 800 } };

/** Amounts and references that stand in more than one line: one that is cut in two is read as another. */
export function cutAmounts() {
  const found = [];
  for (const amount of document.querySelectorAll('.amount, td.number, th code')) {
    const range = document.createRange();
    range.selectNodeContents(amount);
    const lines = new Set(Array.from(range.getClientRects(), (line) => line.top)).size;
    if (lines > 1) found.push(`${amount.textContent} in ${lines} lines`);
  }
  return found;
}

/** Opens a browser for the journey, and ends it however that ends. */
export async function journey(act) {
  rmSync(PICTURES, { recursive: true, force: true });
  mkdirSync(PICTURES, { recursive: true });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  const payers = [];
  const payer = async (options) => {
    payers.push(await Payer.with(browser, options));
    return payers.at(-1);
  };
  try {
    await act({
      onPhone: () => payer(PHONE),
      onSmallPhone: () => payer(SMALL_PHONE),
      atDesk: () => payer(DESK),
      withoutScript: () => payer({ ...PHONE, javaScriptEnabled: false }),
    });
    payers.forEach((one) => one.findsNoFault());
  } finally {
    await browser.close();
    clock.leave();
  }
}

class Payer {
  static async with(browser, options) {
    const payer = new Payer();
    payer.runsScripts = options.javaScriptEnabled !== false;
    payer.context = await browser.newContext({ locale: { es: 'es-VE', en: 'en-US' }[READS], ...options });
    payer.context.setDefaultTimeout(PATIENCE_MS);
    await payer.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await payer.begin();
    return payer;
  }

  faults = [];
  /** What the page has asked for. */
  requests = [];

  /** Takes a page of the browser, and hears everything that goes wrong on it. */
  async begin() {
    const page = (this.page = await this.context.newPage());
    page.on('pageerror', (error) => this.faults.push(String(error)));
    page.on('console', (line) => {
      // The browser notes pages that are refusals too, and the service means them.
      const isOfPage = line.location().url.startsWith(page.url());
      const isRefusal = isOfPage && line.text().includes('responded with a status of');
      // The browser's advice to authors, such as where a password manager would look, is no fault.
      if (line.type() === 'verbose') return;
      const isOffline = this.wasOffline && line.text().includes('ERR_INTERNET_DISCONNECTED');
      if (!isRefusal && !isOffline) this.faults.push(`${line.type()}: ${line.text()}`);
    });
    page.on('request', (request) => {
      const isOurs = new URL(request.url()).origin === SERVICE;
      if (!isOurs) this.faults.push(`loaded from elsewhere: ${request.url()}`);
      this.requests.push(request);
    });
  }

  async open(link) {
    await this.page.goto(`${SERVICE}/pay/${link}`);
  }

  async goesOffline(isOffline) {
    this.wasOffline ||= isOffline;
    await this.context.setOffline(isOffline);
  }

  /** Fills the form in, with these digits and whatever it asks about who paid. */
  async fill(reference, who = PAYER) {
    for (const [name, value] of Object.entries(who)) {
      const field = this.page.locator(`input[name=${name}]`);
      if (await field.count()) await field.fill(value);
    }
    await this.page.locator('#reference').fill(reference);
  }

  get button() {
    return this.page.locator('form.tell button[type=submit]');
  }

  async send(reference, who) {
    await this.fill(reference, who);
    await this.button.click();
  }

  /** Touches the button that has a rate held. */
  async asksForRate() {
    await this.page.locator('form:not(.tell) button[type=submit]').click();
  }

  /** Sends the form as a page that is not of the service would. */
  async sendFromElsewhere(link) {
    await this.page.goto('about:blank');
    const form = `<form method="post" action="${SERVICE}/pay/${link}"><input name="reference" value="99999999"><button>`;
    await this.page.setContent(form);
    await this.page.locator('button').click();
  }

  /** Touches the button and, before that has an answer, touches it again. */
  async touchTwice() {
    const { page } = this;
    await this.button.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await this.button.boundingBox();
    const touch = () => page.touchscreen.tap(x + width / 2, y + height / 2);
    await clock.hold();
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await touch();
    await sent;
    await touch();
    await clock.flow();
  }

  /** Waits until the page says this of the payment. */
  async reads(title) {
    await this.page.locator('#state h2', { hasText: title }).waitFor();
  }

  /** Looks at the page as it is: bright and dark, narrow and wide; keeps pictures. */
  async look(state) {
    const { page } = this;
    const size = page.viewportSize();
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      this.colorScheme = colorScheme;
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: size.height });
        await this.keep(`${state}-${width}-${colorScheme}`);
        await this.fits(`${state}, ${width} pixels wide, ${colorScheme}`);
      }
      await page.setViewportSize(size);
      await this.isAccessible(`${state}, ${colorScheme}`);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    this.findsNoFault();
  }

  /** What stands in the form. */
  async typed() {
    const values = {};
    for (const field of await this.page.locator('input:not([type=hidden])').all()) {
      values[await field.getAttribute('name')] = await field.inputValue();
    }
    return values;
  }

  async keep(name) {
    const path = join(PICTURES, `${name}.png`);
    await this.page.screenshot({ path, fullPage: true, animations: 'disabled' });
  }

  /** Keeps a picture for the guide, where this journey makes any: the screen, from the card of that field on. Keys are left out. */
  async forGuide(name, field) {
    if (!GUIDE) return;
    mkdirSync(GUIDE, { recursive: true });
    const shown = await this.page.evaluateHandle((one) => {
      document.activeElement.blur();
      window.scrollTo(0, 0);
      if (one) document.querySelector(one).closest('.card').scrollIntoView();
      const texts = [...document.querySelectorAll('code, pre')].map((text) => [text, text.innerHTML]);
      for (const [text, before] of texts) text.innerHTML = before.replace(/(ck_live_)[0-9A-Za-z]+/g, '$1…');
      return texts;
    }, field);
    const path = join(GUIDE, `${name}.jpg`);
    await this.page.screenshot({ path, type: 'jpeg', quality: 80, animations: 'disabled' });
    await shown.evaluate((texts) => {
      for (const [text, before] of texts) text.innerHTML = before;
    });
  }

  /** Nothing stands beyond the edge, and everything that is touched is large enough for a finger. */
  async fits(state) {
    const problems = await this.page.evaluate(([finger, edge]) => {
      const found = [];
      const wide = document.documentElement.scrollWidth;
      if (wide > edge) found.push(`${wide} pixels in ${edge}`);
      for (const one of document.querySelectorAll('a, button, summary, input:not([type=hidden]):not([type=radio]), .choice label')) {
        const { width, height, right } = one.getBoundingClientRect();
        if (width === 0) continue;
        if (width < finger || height < finger) found.push(`${one.outerHTML}: ${width} x ${height}`);
        if (right > edge) found.push(`${one.outerHTML} ends at ${right}`);
      }
      return found;
    }, [FINGER, this.page.viewportSize().width]);
    problems.push(...(await this.page.evaluate(cutAmounts)));
    assert.deepEqual(problems, [], state);
  }

  async isAccessible(state) {
    const page = this.runsScripts ? this.page : await this.copy();
    await page.evaluate(`typeof axe === 'undefined' && (() => { ${AXE} })()`);
    const found = await page.evaluate(async (tags) => {
      const options = { runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'], preload: false };
      const { violations, passes } = await axe.run(document, options);
      const broken = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((one) => one.html)}`);
      return { broken, passed: passes.length };
    }, TAGS);
    assert.deepEqual(found.broken, [], state);
    assert.ok(found.passed > 5, `${state}: hardly anything was examined`);
    if (page !== this.page) await page.context().close();
  }

  /** The page as it is, where axe can run; the page's own script does not. */
  async copy() {
    const body = await this.page.content();
    const { colorScheme } = this;
    const viewport = this.page.viewportSize();
    const context = await this.context.browser().newContext({ viewport, colorScheme });
    const page = await context.newPage();
    await page.route('**/*', (route) => {
      const kind = route.request().resourceType();
      if (kind === 'document') return route.fulfill({ contentType: 'text/html', body });
      return kind === 'script' ? route.abort() : route.continue();
    });
    await page.goto(this.page.url());
    return page;
  }

  /** All that was loaded so far is a page, its style and its script, and weighs little. */
  async isLight() {
    let weight = 0;
    for (const request of this.requests) {
      await (await request.response()).finished();
      const { responseHeadersSize, responseBodySize } = await request.sizes();
      weight += responseHeadersSize + responseBodySize;
    }
    assert.ok(this.requests.length >= 3 && weight <= WEIGHT_MAX, `${weight} bytes`);
  }

  /** How often a form was sent. */
  get posts() {
    return this.requests.filter((request) => request.method() === 'POST').length;
  }

  findsNoFault() {
    assert.deepEqual(this.faults, []);
  }
}
