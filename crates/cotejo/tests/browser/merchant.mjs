// A merchant whose customers pay again and again, by the pages about subscriptions.
import assert from 'node:assert/strict';

import { runsScripts } from './hands.mjs';
import { READS, SERVICE } from './world.mjs';

const es = {
  customer: 'Nombre del cliente',
  phone: 'Teléfono del cliente',
  product: 'Qué paga',
  amount: 'Monto de cada período',
  currency: 'Moneda',
  account: 'Cuenta que recibe',
  dollars: 'Dólares (USD)',
  whenPaid: 'Cuándo se paga cada período',
  atStart: 'Al comenzar',
  create: 'Crear suscripción',
  toDueDay: 'Adelantar hasta el próximo día de pago:',
  pause: 'Pausar',
  resume: 'Reanudar',
  end: 'Anular al final del período',
  keep: 'No anular',
  cancel: 'Anular ahora',
  sure: 'Sí, anular esta suscripción',
  test: 'Prueba',
  notToPay: '[PRUEBA, no pague]',
  awaitsFirst: 'Falta el primer pago',
  upToDate: 'Al día',
  paused: 'En pausa',
  canceled: 'Anulada',
  cyclePaid: 'Pagado',
  cycleOpen: 'Por pagar',
  pausesOn: 'Se pausa el',
  endsOn: 'Se anula el',
  copied: 'Copiado',
};

const en = {
  customer: 'Customer name',
  phone: 'Customer phone',
  product: 'Product name',
  amount: 'Amount per period',
  currency: 'Currency',
  account: 'Receiving account',
  dollars: 'Dollars (USD)',
  whenPaid: 'When each period is paid',
  atStart: 'When it begins',
  create: 'Create subscription',
  toDueDay: 'Advance to the next due date:',
  pause: 'Pause',
  resume: 'Resume',
  end: 'Cancel at the end of the period',
  keep: 'Do not cancel',
  cancel: 'Cancel now',
  sure: 'Yes, cancel this subscription',
  test: 'Test',
  notToPay: '[TEST, do not pay]',
  awaitsFirst: 'Awaiting first payment',
  upToDate: 'Up to date',
  paused: 'Paused',
  canceled: 'Cancelled',
  cyclePaid: 'Paid',
  cycleOpen: 'Awaiting payment',
  pausesOn: 'It is paused on',
  endsOn: 'It is cancelled on',
  copied: 'Copied',
};

/** What merchants read. */
export const said = { es, en }[READS];

/** Opens the list of subscriptions by the menu. */
async function openList({ page }) {
  await page.locator('.menu a[href="/app/subscriptions"]').click();
  await page.waitForURL(`${SERVICE}/app/subscriptions`);
}

/**
 * Makes a subscription by the form, each month and paid first, on the only account that is offered; ends on its page.
 * Answers its path.
 */
export async function subscribe(user, account, { amount, currency }) {
  const { page } = user;
  await openList(user);
  await page.locator('main a[href="/app/subscriptions/new"]').first().click();
  const field = (label) => page.getByLabel(label, { exact: true });
  await field(said.customer).fill('Cliente de ejemplo');
  await field(said.phone).fill('0414-1234567');
  await field(said.product).fill('Mensualidad del gimnasio');
  await field(said.amount).fill(amount);
  if (currency) await field(said.currency).selectOption({ label: currency });
  assert.deepEqual(await field(said.account).locator('option').evaluateAll((all) => all.map((one) => one.value)), [account]);
  await field(said.whenPaid).selectOption({ label: said.atStart });
  await page.getByRole('button', { name: said.create, exact: true }).click();
  await page.waitForURL(/\/app\/subscriptions\/[^/]+\?made$/);
  return new URL(page.url()).pathname;
}

/** Opens the page of a subscription as somebody comes back to it, by the list. */
export async function comesBack(user, path) {
  await openList(user);
  await user.page.locator(`main a[href="${path}"]`).click();
  await user.page.waitForURL(`${SERVICE}${path}`);
}

/**
 * Address that a card of the subscription's page is there to share, `share` or `payer`: as its button copies it, or as it is
 * read where there are no buttons.
 */
export async function shared({ page }, card) {
  const place = page.locator(`section[aria-labelledby="${card}"]`);
  let address = await place.locator('code').first().textContent();
  if (runsScripts) {
    const button = place.locator('[data-copy^="http"]');
    await button.click();
    await button.filter({ hasText: said.copied }).waitFor();
    address = await page.evaluate(() => navigator.clipboard.readText());
  }
  return address.trim();
}

/** Presses a button on the page of a subscription, and waits until the page says that it is done. */
export async function presses({ page }, name, done) {
  await page.getByRole('button', { name, exact: true }).click();
  await page.waitForURL((url) => url.search === `?done=${done}`);
  await page.locator('.notice[role=status]').waitFor();
}

/** Waits until the heading of the page says how the subscription stands. */
export async function stands({ page }, state) {
  await page.locator('.heading').getByText(state, { exact: true }).waitFor();
}

/** Checks which periods are listed: the number and the state of each, the latest first. */
export async function lists({ page }, expected) {
  const rows = await page.locator('section[aria-labelledby="cycles"] tbody tr').all();
  const cells = rows.map(async (row) => [
    Number(await row.locator('th').textContent()), (await row.locator('.badge').textContent()).trim(),
  ]);
  assert.deepEqual(await Promise.all(cells), expected);
}
