// Every page of the dashboard: bright and dark, on a phone and at a desk, with nothing wrong on it.
import assert from 'node:assert/strict';

import { journey } from './page.mjs';
import {
  FIRST_MAX, isTurn, lookHere, lookInTurn, NEXT_MAX, NO_PAGES, pages, pictureOf, signIn, templateOf, templates, testMode,
  weighsAtMost,
} from './panel.mjs';
import { stock } from './stock.mjs';
import { bank, SERVICE, shop } from './world.mjs';

/** What pages are made of is on a page that no link leads to. */
const UNLINKED = { components: '/app/components' };

/** What somebody sees who opens the dashboard for the first time. */
async function begin(user) {
  const { page } = user;
  await bank.pay();
  await shop.link();
  await page.goto(`${SERVICE}/app/sign-in`);
  await lookInTurn(user, 'sign-in');
  await page.goto(`${SERVICE}/app/forgotten`);
  await lookInTurn(user, 'forgotten');
  await signIn(user);
  await lookInTurn(user, 'first-visit');
  // Its account is linked, so that a test payment is made in test mode alone.
  assert.equal(await page.locator('form[action="/app/first-payment"]').count(), 0);
  await testMode(user, true);
  await page.locator('form[action="/app/first-payment"] button').click();
  await page.waitForURL(/first$/);
  await lookInTurn(user, 'first-payment');
  await page.goto(`${SERVICE}/app/payments`);
  await lookInTurn(user, 'test-payments');
  await page.locator('tbody a').first().click();
  await page.locator('.heading').waitFor();
  await lookInTurn(user, 'test-verification');
  const verification = page.url();
  await testMode(user, false);
  await page.goto(verification);
  await page.locator('main form[action="/app/test-mode"]').waitFor();
  await lookInTurn(user, 'of-test-mode');
  // Left open, it would load itself again at each payment that comes, in the middle of whatever is measured.
  await page.goto(`${SERVICE}/app/me`);
}

/** What comes over the line until somebody sees the first page, whose browser has nothing of it: the sign-in, too. */
async function isLightAtFirst(user) {
  await signIn(user);
  await weighsAtMost(user, FIRST_MAX, 'the first page');
}

await journey(async ({ atDesk }) => {
  await isLightAtFirst(await atDesk());
  const user = await atDesk();
  const { page } = user;
  await begin(user);
  const found = [...(await pages(user, { ...(await stock()), ...UNLINKED }))];
  const seen = new Set(found.map(([, path]) => templateOf(path)));
  const missing = templates.filter((template) => !seen.has(template) && !(template in NO_PAGES));
  assert.deepEqual(missing, [], 'pages that nobody looks at: no link leads there, and no exception is made of them');
  for (const template of Object.keys(NO_PAGES)) assert.ok(templates.includes(template), `there is no ${template} any more`);

  for (const [name, path] of found) {
    if (!isTurn()) continue;
    const from = user.requests.length;
    await page.goto(`${SERVICE}${path}`);
    await weighsAtMost(user, NEXT_MAX, name, from);
    await lookHere(user, pictureOf(name));
  }
});
