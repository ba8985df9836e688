// What appears in the middle of something: answers, secrets that are shown once, codes that are asked for, refusals.
import assert from 'node:assert/strict';

import { authenticator } from './authenticator.mjs';
import { journey } from './page.mjs';
import { lookInTurn, signIn, stays, testMode } from './panel.mjs';
import { openReceiver } from './receiver.mjs';
import { paidLink } from './stock.mjs';
import { bank, clock, PAYER, SERVICE } from './world.mjs';

const { EMAIL, PASSWORD } = process.env;

/** The button of a form that is alone on its page, or the most important there. */
const BUTTON = 'form.card button.button';

/** Opens a page, types into its fields and presses a button. */
async function send({ page }, path, fields, button) {
  if (path) await page.goto(`${SERVICE}${path}`);
  // A page that says where typing begins puts who comes there, and notes it where somebody was faster.
  await page.waitForFunction(() => !document.querySelector('[autofocus]') || document.activeElement !== document.body);
  for (const [name, text] of Object.entries(fields)) await page.locator(`#${name}`).fill(text);
  await page.locator(button).click();
}

/** A person has references looked for. */
async function verify(user) {
  const { page } = user;
  const ask = async (reference) => {
    await page.goto(`${SERVICE}/app/payments/verify`);
    await send(user, null, { bank_reference: reference, amount: '1250,75' }, BUTTON);
  };
  // Money is green, and what the test bank makes up never is.
  await page.goto(`${SERVICE}/app/payments/verify`);
  await page.locator('details.field summary').click();
  await send(user, null, {
    bank_reference: await bank.pay(), amount: '1250,75', phone_pagador: PAYER.phone, dni_pagador: PAYER.document,
  }, BUTTON);
  await page.locator('.notice.good').waitFor();
  await lookInTurn(user, 'confirmed');
  await testMode(user, true);
  for (const [reference, said, name] of [
    ['1167890', '.notice.warn', 'test-confirmed'], ['1167890', '.notice.warn', 'confirmed-before'],
    ['7777777', '.notice.bad, .notice.warn', 'not-found'], ['2210001', '.notice, .wrong', 'other-amount'],
    ['2210006', '.notice', 'bank-down'],
  ]) {
    await ask(reference);
    await page.locator(said).first().waitFor();
    await lookInTurn(user, name);
  }
  // This one takes a minute.
  const sent = page.waitForRequest((request) => request.method() === 'POST');
  const answered = ask('2210005');
  await sent;
  const searched = /\/app\/payments\/verifications\//;
  while (!searched.test(page.url())) await clock.pass(2);
  await answered;
  const path = new URL(page.url()).pathname;
  await stays(user, path);
  await page.goto(`${SERVICE}${path}`);
  await lookInTurn(user, 'search');
  await testMode(user, false);
}

/** The receipt of what was verified is made void, and says so. */
async function voids(user) {
  const { page } = user;
  await page.goto(`${SERVICE}/app/receipts`);
  await page.locator('tbody a').first().click();
  await page.locator('#void_reason').waitFor();
  await page.locator('input[name="void_sure"][type="checkbox"]').check();
  await send(user, null, { void_reason: 'El cliente devolvió el pedido' }, 'form[action$="/void"] button');
  await page.waitForURL(/\?done$/);
  await lookInTurn(user, 'receipt-void');
}

/** The days on which a new subscription would be due, before it is made. */
async function dueDays(user) {
  await send(user, '/app/subscriptions/new', {}, 'button[name="preview"]');
  await user.page.locator('#due-days').waitFor();
  await lookInTurn(user, 'due-days');
}

/** Secret, trial and check of a receiver; a delivery that waits, and a job that runs. */
async function webhooks(user) {
  const { page } = user;
  await send(user, '/app/webhooks/setup', {}, 'form[action="/app/webhooks/secret"] button');
  await page.locator('[data-copy^="whsec_"]').waitFor();
  await lookInTurn(user, 'webhook-secret');
  const receiver = await openReceiver(500);
  await send(user, '/app/webhooks/test', { url: receiver.url }, BUTTON);
  await page.locator('.notice a').waitFor();
  await lookInTurn(user, 'trial');
  receiver.status = 204;
  await send(user, null, {}, 'button[formaction="/app/webhooks/check"]');
  await page.locator('table .badge').first().waitFor();
  await lookInTurn(user, 'grades');

  receiver.status = 500;
  await paidLink(receiver.url);
  const delivery = page.locator('a[href^="/app/webhooks/deliveries/evt_"]').first();
  do await page.goto(`${SERVICE}/app/webhooks`); while (!(await delivery.count()));
  const path = await delivery.getAttribute('href');
  await stays(user, path);
  do await page.goto(`${SERVICE}${path}`); while (!(await page.getByText('HTTP 500').count()));
  await lookInTurn(user, 'delivery-waits');
  receiver.close();

  await clock.hold();
  await send(user, '/app/webhooks/redeliveries', {}, BUTTON);
  await page.waitForURL(/redo_/);
  const job = new URL(page.url()).pathname;
  await stays(user, job);
  await page.goto(`${SERVICE}${job}`);
  await page.locator('.notice.busy').waitFor();
  await lookInTurn(user, 'redelivery-runs');
  await clock.flow();
}

/** Sets a second factor up; answers what shows its codes. */
async function setUp(user) {
  const { page } = user;
  await send(user, '/app/me', { password: PASSWORD }, 'form[action="/app/me/second-factor"] button');
  await page.locator('#code').waitFor();
  await lookInTurn(user, 'factor');
  const secret = await page.locator('code', { hasText: /^[A-Z2-7]{32}$/ }).textContent();
  const phone = authenticator(secret);
  await send(user, null, { code: '000000' }, 'main form button.button');
  await page.locator('.notice.bad, .wrong').first().waitFor();
  await lookInTurn(user, 'factor-wrong');
  await send(user, null, { code: await phone.code() }, 'main form button.button');
  phone.keep(await page.locator('pre').textContent());
  await lookInTurn(user, 'recovery-codes');
  await page.goto(`${SERVICE}/app/me`);
  await lookInTurn(user, 'factor-is-on');
  return phone;
}

/** Who has no second factor types the password before what is delicate, once the sign-in was a while ago. */
async function typesPassword(user) {
  const { page } = user;
  await clock.skip(11 * 60);
  await send(user, '/app/keys/new', { name: 'Caja 2' }, BUTTON);
  await page.locator('#step_up_password').waitFor();
  await lookInTurn(user, 'step-up-password');
  await send(user, null, { step_up_password: 'no es la contraseña' }, BUTTON);
  await page.locator('#step_up_password-wrong').waitFor();
  await lookInTurn(user, 'step-up-password-wrong');
  await send(user, null, { step_up_password: PASSWORD }, BUTTON);
  await page.locator('code', { hasText: 'COTEJO_API_KEY=' }).waitFor();
}

/** A code is asked for before what is delicate, once it was shown a while ago. */
async function stepUp(user, phone) {
  const { page } = user;
  await clock.skip(11 * 60);
  await send(user, '/app/webhooks/setup', {}, 'form[action="/app/webhooks/secret"] button');
  await page.locator('#step_up_code').waitFor();
  await lookInTurn(user, 'step-up');
  await send(user, null, { step_up_code: '000000' }, 'form button.button');
  await page.locator('#step_up_code-wrong').waitFor();
  await lookInTurn(user, 'step-up-wrong');
  await send(user, null, { step_up_code: phone.recover() }, 'form button.button');
  await page.locator('[data-copy^="whsec_"]').waitFor();
}

/** Signs in with a code; looks at the page that asks for it. */
async function signInByCode(user, phone) {
  await send(user, null, { email: EMAIL, password: PASSWORD }, BUTTON);
  await user.page.locator('#code').waitFor();
  await lookInTurn(user, 'sign-in-code');
  await send(user, null, { code: phone.recover() }, BUTTON);
}

/** Whose session is over while a form is filled in goes on where that was. */
async function signsInAgain(user, phone) {
  const { context, page } = user;
  await page.goto(`${SERVICE}/app/keys/new`);
  await context.clearCookies();
  await send(user, null, { name: 'Caja 3' }, BUTTON);
  await page.locator('#email').waitFor();
  await lookInTurn(user, 'sign-in-over');
  await signInByCode(user, phone);
  await page.locator('form[action="/app/keys/new"]').waitFor();
  await lookInTurn(user, 'go-on');
  await send(user, null, {}, BUTTON);
  await page.locator('code', { hasText: 'COTEJO_API_KEY=' }).waitFor();
}

/** Whose page is of another session is given back what was typed. */
async function sendsOldPage(user, phone) {
  const { context, page } = user;
  await page.goto(`${SERVICE}/app/keys/new`);
  await context.clearCookies();
  const beside = { page: await context.newPage() };
  await send(beside, '/app/sign-in', { email: EMAIL, password: PASSWORD }, BUTTON);
  await beside.page.locator('#code').waitFor();
  await send(beside, null, { code: phone.recover() }, BUTTON);
  await beside.page.waitForURL(`${SERVICE}/app`);
  await beside.page.close();
  await send(user, null, { name: 'Caja 4' }, BUTTON);
  await page.locator('[role=alert]').waitFor();
  await lookInTurn(user, 'given-back');
  await send(user, null, {}, BUTTON);
  await page.locator('code', { hasText: 'COTEJO_API_KEY=' }).waitFor();
}

/** A password that is wrong too often. */
async function tooOften(user) {
  const { page } = user;
  const fields = { current_password: 'no es la contraseña', new_password: 'una frase muy distinta' };
  await clock.skip(15 * 60);
  do await send(user, '/app/me', fields, 'form[action="/app/me/password"] button');
  while (!(await page.locator('body.bare').count()));
  await lookInTurn(user, 'too-often');
}

await journey(async ({ atDesk, onPhone }) => {
  const stranger = await onPhone();
  await send(stranger, '/app/sign-in', { email: EMAIL, password: 'no es la contraseña' }, BUTTON);
  await stranger.page.locator('#notice').waitFor();
  await lookInTurn(stranger, 'sign-in-wrong');

  const user = await atDesk();
  await signIn(user);
  assert.equal((await user.page.goto(`${SERVICE}/app/nothing`)).status(), 404);
  await user.page.locator('a.button[href="/app"]').waitFor();
  await lookInTurn(user, 'no-page');
  await verify(user);
  await voids(user);
  await dueDays(user);
  await typesPassword(user);
  await webhooks(user);
  const phone = await setUp(user);
  await stepUp(user, phone);
  await signsInAgain(user, phone);
  await sendsOldPage(user, phone);
  await tooOften(user);
});
