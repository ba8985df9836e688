// A shop written against the types that openapi-typescript makes of the document: the journey of the guide that
// integrates a shop, and the webhooks that it receives. It compiles as strictly as TypeScript can, and asks for nothing by
// a cast.
import { readFileSync } from 'node:fs';
import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths, webhooks } from './api.js';

type Refusal = components['schemas']['Error'];

/** The body of the webhook of that name. */
type Received<Name extends keyof webhooks> = webhooks[Name]['post']['requestBody']['content']['application/json'];

/** A variable of the environment, which must be there. */
function given(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is missing`);
  return value;
}

/** What was answered, where it is no refusal. */
function done<T>(what: string, answer: { data?: T; error?: Refusal }): T {
  if (answer.data === undefined) {
    throw new Error(`${what}: ${answer.error?.error} ${answer.error?.message}`);
  }
  return answer.data;
}

function expect(what: string, is: unknown, wanted: unknown): void {
  if (is !== wanted) throw new Error(`${what} is ${String(is)}, not ${String(wanted)}`);
}

function by(credential: string): Middleware {
  return {
    onRequest({ request }) {
      request.headers.set('Authorization', `Bearer ${credential}`);
      return request;
    },
  };
}

const baseUrl = given('SERVICE');

// A key, by the session of the person who signs in.
const owner = createClient<paths>({ baseUrl });
const signedIn = done(
  'signing in',
  await owner.POST('/auth/login', { body: { email: given('EMAIL'), password: given('PASSWORD') } }),
);
owner.use(by(signedIn.token));
const made = done(
  'a key',
  await owner.POST('/auth/api-key', {
    body: { name: 'tienda', permissions: ['payment_verifications', 'payment_links', 'bank_accounts_manage', 'integrations'] },
  }),
);
const shop = createClient<paths>({ baseUrl });
shop.use(by(made.api_key.api_key));

// The account that is paid.
const linked = done('an account', await shop.POST('/usersbank', { body: { bank_provider: 'BANK_TEST' } }));
const accounts = done('the accounts', await shop.GET('/me/usersbank'));
const account = accounts.user_banks.find((one) => one.id === linked.userbank.id);
if (account === undefined) throw new Error('the account that was linked is not listed');
expect('the platform', account.platform, 'BANK_TEST');

// A payment is new once.
const params = { path: { bank_id: account.id }, header: { 'Idempotency-Key': '1742' } };
const body = { bank_reference: '0000067890', amount: 150.75 };
const verified = done('a payment', await shop.POST('/userbankpayment/{bank_id}/betaserio', { params, body }));
const isNew: boolean = verified.data.is_new;
const paid: number = verified.data.user_bank_payment.amount;
expect('the first report', isNew, true);
expect('the amount', paid, 150.75);
const again = { path: { bank_id: account.id } };
const repeated = done('it again', await shop.POST('/userbankpayment/{bank_id}/betaserio', { params: again, body }));
expect('the report of it again', repeated.data.is_new, false);
expect('the payment', repeated.data.user_bank_payment.id, verified.data.user_bank_payment.id);

// What no bank shows is refused with a code that the types know, and nobody can misspell.
const refused = await shop.POST('/userbankpayment/{bank_id}/betaserio', {
  params: again,
  body: { bank_reference: '123456', amount: 20 },
});
if (refused.error === undefined) throw new Error('nobody paid that');
expect('the refusal', refused.error.error, 'PAYMENT_NOT_FOUND');
expect('its status', refused.response.status, 404);
expect('its request', refused.response.headers.get('x-request-id'), refused.error.request_id);

// Or a link is sent, and read.
const link = done(
  'a link',
  await shop.POST('/v1/paymentlink', {
    params: { header: { 'Idempotency-Key': '1744' } },
    body: { amount: 150.75, description: 'Pedido 1744', user_bank_id: account.id },
  }),
);
const shown = done(
  'the link',
  await shop.GET('/paymentlink/{payment_link_id}/info', { params: { path: { payment_link_id: link.paymentlink.id } } }),
);
expect('its state', shown.data.payment_link.status, 'pending');
expect('its address', shown.data.payment_link.url, link.paymentlink.url);

// What the shop is told by webhooks, read as the document shows it.
type Shown = { [Name in keyof webhooks]: { post: { requestBody: { content: { 'application/json': { example: Received<Name> } } } } } };
const document: { webhooks: Shown } = JSON.parse(readFileSync('openapi.json', 'utf8'));

function received<Name extends keyof webhooks>(name: Name): Received<Name> {
  return document.webhooks[name].post.requestBody.content['application/json'].example;
}

const ended = received('payment_link.paid');
const state: 'paid' | 'failed' | 'expired' | 'canceled' = ended.status;
expect('the state of what was paid', state, 'paid');
expect('the link that was paid', ended.payment_link.id, ended.payment_link_id);
expect('what happened', ended.type, 'payment_link.paid');
// The payment and the link are those of every answer.
const told: typeof verified.data.user_bank_payment | null = ended.user_bank_payment;
const toldLink: typeof shown.data.payment_link = ended.payment_link;
expect('the price', told?.price?.currency, 'USD');
expect('the state of the link', toldLink.status, 'paid');
expect('the payment of what failed', received('payment_link.failed').user_bank_payment, null);
const reminder = received('subscription.reminder');
expect('the day of a reminder', reminder.data.day, -3);

// @ts-expect-error An event has no state but these.
void (ended.status === 'pending');
// @ts-expect-error A reminder is about no payment.
void reminder.user_bank_payment;
// @ts-expect-error A field that the document does not have is none.
void shown.data.payment_link.made_up;
// @ts-expect-error Nor is a code that this operation never answers.
void (refused.error.error === 'USER_BANK_ALREADY_EXISTS');
