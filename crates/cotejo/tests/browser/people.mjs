// An employee is invited, and sees what is within reach; somebody who forgot the password sets another.
import assert from 'node:assert/strict';

import { journey } from './page.mjs';
import { isTurn, lookAround, lookInTurn, signIn } from './panel.mjs';
import { CHOSEN, stock } from './stock.mjs';
import { ask, mail, SERVICE, session } from './world.mjs';

const { EMAIL } = process.env;
const EMPLOYEE = { name: 'Ana Rivas', email: 'ana@tienda.example' };

/** Looks at a page for a person who may not have an account yet, where it is its turn. */
async function lookAtLetter(user, name) {
  if (isTurn()) await user.look(name);
}

/** Types a password twice, and sends it. */
async function choose(page, password, again = password) {
  await page.locator('#password').fill(password);
  await page.locator('#again').fill(again);
  await page.locator('form button[type=submit]').click();
}

/** Somebody opens the link of an invitation and chooses a password. */
async function answer(user, email) {
  const { page } = user;
  const invitation = `${SERVICE}/invitation/${await mail.linkTo(email, 'invitation')}`;
  await page.goto(invitation);
  await lookAtLetter(user, 'invitation');
  await choose(page, CHOSEN, 'otra frase de prueba');
  await page.locator('[aria-invalid=true]').first().waitFor();
  await lookAtLetter(user, 'invitation-wrong');
  await choose(page, CHOSEN);
  await page.waitForURL(/accepted$/);
  await lookAtLetter(user, 'invitation-accepted');
  await page.locator('a[href="/app/sign-in"]').click();
  await page.locator('#email').waitFor();
  assert.equal((await page.goto(invitation)).status(), 404);
  await lookAtLetter(user, 'invitation-over');
}

/** Somebody asks for another password, and sets it by the link in the mail. */
async function reset(user, email) {
  const { page } = user;
  await page.goto(`${SERVICE}/app/forgotten`);
  await lookInTurn(user, 'forgotten-by-mail');
  await page.locator('#email').fill(email);
  await page.locator('form.card button').click();
  await page.locator('.notice.good').waitFor();
  await lookInTurn(user, 'forgotten-sent');
  await page.goto(`${SERVICE}/password-reset/${await mail.linkTo(email, 'password-reset')}`);
  await lookAtLetter(user, 'reset');
  await choose(page, 'una frase muy distinta', 'otra frase de prueba');
  await page.locator('[aria-invalid=true]').first().waitFor();
  await lookAtLetter(user, 'reset-wrong');
  await choose(page, 'una frase muy distinta');
  await page.waitForURL(/done$/);
  await lookAtLetter(user, 'reset-done');
  await page.locator('a[href="/app/sign-in?next=/app/me"]').click();
  await page.locator('#email').waitFor();
}

await journey(async ({ onPhone }) => {
  const owner = await session();
  await stock();

  const permissions = ['payments:read', 'payments:write', 'billing:read', 'integrations:read'];
  await ask(owner, 'POST', '/v1/employees', { ...EMPLOYEE, permissions });
  const employee = await onPhone();
  await answer(employee, EMPLOYEE.email);
  await signIn(employee, EMPLOYEE.email, CHOSEN);
  const seen = await lookAround(employee);
  assert.ok(seen.includes('/app/payments') && !seen.includes('/app/rates'), seen);
  assert.equal((await employee.page.goto(`${SERVICE}/app/rates`)).status(), 403);
  await lookInTurn(employee, 'out-of-reach');

  await reset(await onPhone(), EMAIL);
});
