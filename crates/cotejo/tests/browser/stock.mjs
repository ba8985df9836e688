// What a shop has after some weeks: something of everything, so that no page about it is empty.
import assert from 'node:assert/strict';

import { openReceiver } from './receiver.mjs';
import { ask, bank, clock, mail, PAYER, rate, SERVICE, session, sendElsewhere, shop } from './world.mjs';

const { KEY, KEY_ID, LOGO, PENNILESS_KEY, TEST_BANK, USER_BANK } = process.env;

/** What everybody signs in with who was invited. */
export const CHOSEN = 'una frase de prueba';

/** What a key is answered that has used all that it may. */
const LIMIT_REACHED = 'API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED';

/** Gone too late for who takes them. */
const GONE = 410;

/** Has a reference looked for; the service answers with that word. */
async function verify(token, account, reference, expected, more = {}) {
  const answer = await fetch(`${SERVICE}/userbankpayment/${account}/betaserio`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ bank_reference: reference, ...more }),
  });
  assert.equal((await answer.json()).error ?? 'found', expected, reference);
}

/** Has somebody accept who was invited; answers a session of theirs. */
export async function accept({ employee, invitation_url: url }) {
  const token = url ? url.split('/').at(-1) : await mail.linkTo(employee.email, 'invitation');
  await ask(undefined, 'POST', '/auth/invitations/accept', { token, password: CHOSEN });
  return session(employee.email, CHOSEN);
}

/** A payment of that amount comes to the shop's account, and is verified. */
async function verified(token, amount, more = {}) {
  await verify(token, USER_BANK, await bank.pay(amount), 'found', { amount, ...PAYER_FACTS, ...more });
}

/** A link that is paid, whose events go to that address. */
export async function paidLink(url) {
  const link = await shop.link({ webhook_url: url });
  await sendElsewhere(link, await bank.pay(), PAYER);
  while ((await shop.status(link)) !== 'paid');
  return link;
}

/** The delivery about that link, once it is in that state. */
async function delivery(owner, link, state) {
  for (;;) {
    const { deliveries } = await ask(owner, 'GET', `/v1/webhooks/deliveries?state=${state}`);
    const found = deliveries.find((one) => one.payment_link_id === link);
    if (found) return found.id;
  }
}

/** References that the sandbox finds, and does not: all that a verification can come to without a wait. */
async function verifications(owner) {
  await verify(KEY, TEST_BANK, '1167890', 'found', { amount: 1250.75, source_name: 'Caja 1' });
  await verify(KEY, TEST_BANK, '1167890', 'found', { amount: 1250.75 });
  await verify(KEY, TEST_BANK, '2210001', 'PAYMENT_AMOUNT_NOT_VALID', { amount: 99 });
  await verify(KEY, TEST_BANK, '2210006', 'BANK_NOT_AVAILABLE');
  await verify(KEY, TEST_BANK, '7777777', 'PAYMENT_NOT_FOUND');
  await verified(owner, 320.4);
}

/** Who paid, as a question about the shop's account says it. */
const PAYER_FACTS = { phone_pagador: PAYER.phone, dni_pagador: PAYER.document };

/** The bank notifies of a payment by itself. */
async function notification(owner) {
  const rotate = `/v1/usersbank/${USER_BANK}/push-secret/rotate`;
  const { push } = await ask(owner, 'POST', rotate, {});
  const body = JSON.stringify({
    bancoOrdenante: '0134', referenciaBancoOrdenante: '000079955555', idCliente: 'V12345678',
    numeroCliente: '04140000002', fecha: '2026-11-20', hora: '0800', monto: 150.75,
  });
  const headers = { 'X-API-KEY': push.secret, 'content-type': 'application/json' };
  const answer = await fetch(`${SERVICE}${push.path}`, { method: 'POST', headers, body });
  assert.equal((await answer.json()).codigo, '00');
}

/** Links in every state, of one of which a shop's server was notified that it was paid, and one that did not arrive. */
async function links(owner) {
  const [well, gone] = [await openReceiver(200), await openReceiver(GONE)];
  const open = await shop.link();
  const [stopped, canceled, rejected] = [await shop.link(), await shop.link(), await shop.link()];
  await shop.end(stopped, 'stop');
  await shop.end(canceled, 'cancel');
  await shop.end(rejected, 'reject', { status_detail: 'Pedido agotado' });
  await rate.publish('872.3927');
  const dollars = await shop.link({ currency: 'USD', amount: 35, description: 'Pedido en dólares' });
  const paid = await paidLink(well.url);
  const untold = await paidLink(gone.url);
  const delivered = await delivery(owner, paid, 'delivered');
  const exhausted = await delivery(owner, untold, 'exhausted');
  const since = new Date(((await clock.now()) - 3600) * 1000).toISOString();
  const { redelivery } = await ask(owner, 'POST', '/v1/webhooks/redeliveries', { since });
  const job = `/app/webhooks/redeliveries/${redelivery.id}`;
  while (!(await ask(owner, 'GET', job.replace('/app', '/v1'))).redelivery.ended_at);
  // It was sent again, and nobody took it.
  await delivery(owner, untold, 'exhausted');
  [well, gone].forEach((one) => one.close());
  const states = Object.entries({ open, stopped, canceled, rejected, dollars, paid });
  return {
    ...Object.fromEntries(states.map(([state, id]) => [`link-${state}`, `/app/links/${id}`])),
    'delivery-arrived': `/app/webhooks/deliveries/${delivered}`,
    'delivery-failed': `/app/webhooks/deliveries/${exhausted}`,
    redelivery: job,
  };
}

/**
 * Customers who pay again and again: one who has to pay, one whose turn has not come, one who ends, and one whose link has
 * ended. Answers their pages.
 */
async function subscriptions() {
  const make = async (more) => {
    const wanted = {
      user_bank_id: USER_BANK,
      pay_first: false,
      uniqueProduct: { productName: 'Mensualidad del gimnasio de la avenida', productPrice: 1_234_567.89 },
      uniqueClient: { clientName: 'María de los Ángeles Rodríguez Villavicencio', clientPhone: PAYER.phone },
      ...more,
    };
    return (await ask(KEY, 'POST', '/v1/subscription/make', wanted)).subscription;
  };
  const pending = await make({ pay_first: true });
  const runs = await make({ cycles: 12 });
  const ends = await make({});
  await ask(KEY, 'POST', `/v1/subscriptions/${ends.id}/cancelbyowner`, { atPeriodEnd: true });
  const owes = await make({ pay_first: true });
  await shop.end(owes.paymentLinkId, 'cancel');
  const states = Object.entries({ pending, runs, ends, owes });
  return Object.fromEntries(states.map(([state, { id }]) => [`subscription-${state}`, `/app/subscriptions/${id}`]));
}

/** Employees: one who works, and one who has not accepted. */
async function team(owner) {
  const permissions = ['payments:read', 'payments:write', 'billing:read'];
  const invite = (name, email) => ask(owner, 'POST', '/v1/employees', { name, email, permissions });
  const working = await accept(await invite('Luis Pérez', 'luis@tienda.example'));
  await verified(working, 80);
  await invite('María de los Ángeles Rodríguez Villavicencio', 'maria.de.los.angeles.rodriguez@tienda.example');
}

/** A client of the shop, with an account and a key of its own. Answers its id. */
export async function client(owner) {
  const wanted = { name: 'Sucursal El Rosal', payments_enabled: true };
  const { client: { id } } = await ask(owner, 'POST', '/v1/clients', wanted);
  const issued = await ask(owner, 'POST', '/auth/api-key', {
    name: 'Caja de la sucursal', client_owner_id: id,
  });
  const key = issued.api_key.api_key;
  const { userbank } = await ask(key, 'POST', '/usersbank', { bank_provider: 'BANK_TEST' });
  await verify(key, userbank.id, '5567890', 'found', { amount: 45.5 });
  await verify(key, userbank.id, '8888888', 'PAYMENT_NOT_FOUND');
  const more = { amount: 45.5, user_bank_id: userbank.id };
  await shop.link(more, key);
  return id;
}

/** A key for one account alone, that has used all that it may and is asked once more. Answers its id. */
async function till(owner) {
  const { api_key: key } = await ask(owner, 'POST', '/auth/api-key', {
    name: 'Caja 2, la de la entrada por la avenida', permissions: ['payment_verifications'], user_banks: [USER_BANK],
  });
  await ask(owner, 'PUT', `/v1/api-keys/${key.id}/credit-limit`, { monthly_credit_limit: 1 });
  await verified(key.api_key, 12);
  await verify(key.api_key, USER_BANK, '3367890', LIMIT_REACHED, PAYER_FACTS);
  return key.id;
}

/** As many as a page has, and more than the first. */
const PAGE = 25;

/** Of everything that a page lists as much as it shows at once, and clients to choose from. */
async function fullPages(owner) {
  // They come first: one reading of the day has them all.
  const references = [];
  while (references.length < PAGE) references.push(await bank.pay(20.5));
  for (const [number, reference] of references.entries()) {
    const name = `Sucursal número ${number}, centro comercial`;
    await ask(owner, 'POST', '/v1/clients', { name, payments_enabled: true });
    await ask(owner, 'POST', '/auth/api-key', { name, permissions: ['payment_verifications'] });
    await ask(owner, 'POST', '/usersbank', { bank_provider: 'BANK_TEST', description: name });
    await verify(owner, USER_BANK, reference, 'found', { amount: 20.5, source_name: name, ...PAYER_FACTS });
    await shop.link({ description: `Pedido de la ${name}`, amount: 1_234_567.89 });
    const asked = { source_name: name, ...PAYER_FACTS };
    await verify(PENNILESS_KEY, USER_BANK, `8${100 + number}67890`, LIMIT_REACHED, asked);
  }
}

/** Money that came last and pays nothing: it is asked about with another amount. */
async function unused(owner) {
  const asked = { amount: 99, ...PAYER_FACTS };
  await verify(owner, USER_BANK, await bank.pay(64.5), 'PAYMENT_AMOUNT_NOT_VALID', asked);
}

/** Fills the shop. Answers pages in states that no first link of a list leads to, by what they show. */
export async function stock() {
  const owner = await session();
  await shop.setProfile({ public_name: 'Tienda Ejemplo', support_phone: '0212-1234567', whatsapp: '0414-1234567' });
  await shop.shows(Buffer.from(LOGO, 'base64'));
  await verifications(owner);
  await notification(owner);
  await ask(owner, 'PUT', '/v1/exchange-rates', {
    currency: 'EUR', rate: '1010.5', source: 'Tienda Ejemplo', value_date: '2026-11-20',
  });
  await ask(owner, 'PUT', `/v1/api-keys/${KEY_ID}/credit-limit`, { monthly_credit_limit: 20 });
  const states = { ...(await links(owner)), ...(await subscriptions()) };
  await team(owner);
  await fullPages(owner);
  await client(owner);
  await unused(owner);
  return { ...states, 'key-of-a-till': `/app/keys/${await till(owner)}` };
}
