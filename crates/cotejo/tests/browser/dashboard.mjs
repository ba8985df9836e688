// Every page of the dashboard that links lead to: bright and dark, on a phone and at a desk, with nothing wrong on it.
import assert from 'node:assert/strict';

import { journey } from './page.mjs';
import { FIRST_MAX, NEXT_MAX, look, lookHere, pages, signIn, weighsAtMost } from './panel.mjs';
import { bank, SERVICE, shop } from './world.mjs';

const { PART, PARTS } = process.env;

await journey(async ({ atDesk }) => {
  const user = await atDesk();
  const { page } = user;
  // Something of everything is there to be shown.
  await bank.pay();
  await shop.link();

  await page.goto(`${SERVICE}/app/sign-in`);
  await lookHere(user, 'sign-in');
  await page.goto(`${SERVICE}/app/forgotten`);
  await lookHere(user, 'forgotten');
  const before = user.requests.length;
  await signIn(user);
  await weighsAtMost(user, FIRST_MAX, 'the first page', before);
  await page.locator('form[action="/app/first-payment"] button').click();
  await page.waitForURL(/first$/);
  await lookHere(user, 'first-payment');

  // What pages are made of is on a page that no link leads to.
  const found = [...(await pages(user)), ['/app/components', '/app/components']];
  const names = found.map(([name]) => name);
  for (const place of ['/app', '/app/accounts', '/app/keys', '/app/keys/*', '/app/keys/new', '/app/me', '/app/sessions']) {
    assert.ok(names.includes(place), `no link leads to ${place}: ${names}`);
  }
  for (const [at, [name, path]] of found.entries()) {
    if (at % Number(PARTS) !== Number(PART)) continue;
    const from = user.requests.length;
    await page.goto(`${SERVICE}${path}`);
    await weighsAtMost(user, NEXT_MAX, name, from);
    await look(user, path, name.replaceAll('/', '_').replaceAll('*', 'id').replaceAll('?', '-'));
  }
});
