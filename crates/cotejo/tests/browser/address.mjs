// Whoever confirms another e-mail address, by the link that it got.
import assert from 'node:assert/strict';

import { journey } from './page.mjs';
import { words } from './words.mjs';
import { mail, SERVICE, shop } from './world.mjs';

const NEW = 'ana.nueva@tienda.example';
const MERCHANT = 'Tienda Ejemplo';

await journey(async ({ onPhone, withoutScript }) => {
  await shop.setProfile({ public_name: MERCHANT });
  await shop.wants(NEW);
  const link = `${SERVICE}/email-change/${await mail.linkTo(NEW, 'email-change')}`;
  const person = await onPhone();
  const { page } = person;
  await page.goto(link);
  const read = await page.locator('main').innerText();
  assert.ok(read.includes(NEW) && read.includes(MERCHANT), read);
  await person.look('asked');
  // To look at it changes nothing.
  assert.deepEqual([await shop.signsIn(), await shop.signsIn(NEW)], [true, false]);

  await page.locator('form button[type=submit]').tap();
  await person.reads(words.addressChanged);
  assert.equal(page.url(), `${SERVICE}/email-change/done`);
  await person.look('done');
  assert.deepEqual([await shop.signsIn(), await shop.signsIn(NEW)], [false, true]);
  // Loading the page again sends nothing.
  const { posts } = person;
  await page.reload();
  await person.reads(words.addressChanged);
  assert.equal(person.posts, posts);

  // The link says the same when it is opened again, also where no script runs.
  const again = await withoutScript();
  await again.page.goto(link);
  await again.page.locator('form button[type=submit]').tap();
  await again.reads(words.addressChanged);
  await again.page.goto(`${SERVICE}/email-change/nothing`);
  await again.reads(words.noLink);
  await again.look('over');
});
