// Who takes part besides the payer: the shop that makes links, its bank, and the clock of both.
import { createInterface } from 'node:readline';

export const { HANDS, READS, SERVICE } = process.env;
const { ACCOUNT, BANK, EMAIL, KEY, KEY_ID, PASSWORD, USER_BANK } = process.env;

/** What every link asks for, and every payment brings, unless something else is said. */
export const AMOUNT = 1250.75;

async function call(method, url, body, key) {
  const headers = { 'content-type': 'application/json' };
  if (key) headers.authorization = `Bearer ${key}`;
  const answer = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

/** Opens a session; answers its token. */
export async function session(email = EMAIL, password = PASSWORD) {
  return (await call('POST', `${SERVICE}/auth/login`, { email, password })).token;
}

/** Calls the service as the holder of that token or key. */
export const ask = (token, method, path, body) => call(method, `${SERVICE}${path}`, body, token);

export const shop = {
  /** Makes a link, and answers its id. */
  async link(more = {}, key = KEY) {
    const wanted = { amount: AMOUNT, description: 'Pedido 1742', user_bank_id: USER_BANK, ...more };
    return (await call('POST', `${SERVICE}/v1/paymentlink`, wanted, key)).paymentlink.id;
  },
  /** Makes a monthly subscription that is paid first, and answers it. */
  async subscribes(more = {}) {
    const wanted = {
      user_bank_id: USER_BANK,
      pay_first: true,
      uniqueProduct: { productName: 'Mensualidad del gimnasio', productPrice: AMOUNT },
      uniqueClient: { clientName: 'Cliente de ejemplo', clientPhone: PAYER.phone },
      ...more,
    };
    return (await call('POST', `${SERVICE}/v1/subscription/make`, wanted, KEY)).subscription;
  },
  /** Stops, cancels or rejects a link. */
  end: (id, how, body = {}) => call('POST', `${SERVICE}/v1/paymentlink/${id}/${how}`, body, KEY),
  change: (id, what) => call('PATCH', `${SERVICE}/paymentlink/${id}/patch`, what, KEY),
  /** Says what payers see of the shop. */
  async setProfile(profile) {
    await call('PUT', `${SERVICE}/v1/profile`, profile, await session());
  },
  /** Sends the picture that payers see above its name. */
  async shows(picture) {
    const headers = { 'content-type': 'image/png', authorization: `Bearer ${await session()}` };
    const answer = await fetch(`${SERVICE}/v1/profile/logo`, { method: 'PUT', headers, body: picture });
    if (!answer.ok) throw new Error(`the logo: ${answer.status} ${await answer.text()}`);
  },
  /** Has its owner wish to sign in with another address. */
  async wants(email) {
    await call('PUT', `${SERVICE}/auth/email`, { email, password: PASSWORD }, await session());
  },
  /** Whether its owner signs in with that address. */
  async signsIn(email = EMAIL) {
    const body = JSON.stringify({ email, password: PASSWORD });
    const headers = { 'content-type': 'application/json' };
    const { status } = await fetch(`${SERVICE}/auth/login`, { method: 'POST', headers, body });
    if (![200, 401].includes(status)) throw new Error(`signing in: ${status}`);
    return status === 200;
  },
  /** Puts an account away, so that its links cannot be paid. */
  async closes(account) {
    await call('DELETE', `${SERVICE}/usersbank/${account}/to-trash`, undefined, await session());
  },
  async status(id) {
    const answer = await call('GET', `${SERVICE}/paymentlink/${id}/info`, undefined, KEY);
    return answer.data.payment_link.status;
  },
  /** How often payers have had something looked for. */
  async attempts() {
    const url = `${SERVICE}/v1/api-keys/${KEY_ID}/activity`;
    return (await call('GET', url, undefined, await session())).request_total;
  },
};

/** Who pays, as its bank says to the shop's; and somebody whom no bank knows. */
export const PAYER = { phone: '0414-0000002', document: 'V-12345678' };
export const STRANGER = { phone: '0416-0000009', document: 'V-99999' };

/** Sends a form as other payers do, whom nobody watches. */
export async function sendElsewhere(link, reference, who = STRANGER) {
  const body = new URLSearchParams({ reference, ...who });
  const answer = await fetch(`${SERVICE}/pay/${link}`, { method: 'POST', redirect: 'manual', body });
  if (![200, 303].includes(answer.status)) throw new Error(`${answer.status} ${await answer.text()}`);
}

let payments = 0;

export const bank = {
  /** A pago móvil to the shop. Answers the reference on the payer's receipt. */
  async pay(amount = AMOUNT) {
    payments += 1;
    const reference = `0000${79_912_000 + payments}`;
    await call('POST', `${BANK}/admin/payments`, {
      account: ACCOUNT, reference, amount: amount.toFixed(2), payer_bank: '0134',
      ...PAYER,
    });
    return reference;
  },
  /** Fails from here on, in this way; `none` ends it. */
  fail: (kind, delay_ms) => call('PUT', `${BANK}/admin/faults`, { kind, delay_ms }),
};

const replies = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function wish(text) {
  process.stdout.write(`${text}\n`);
  return (await replies.next()).value;
}

export const mail = {
  /** What stands at the end of the link to that place in the mail that the address got. */
  linkTo: (email, place) => wish(`mail ${email} ${place}`),
};

export const rate = {
  /** Records what a dollar costs today; another one is a correction. */
  publish: (value) => wish(`rate ${value}`),
};

/** The time of service and bank: it goes with the wall's unless it is held. */
export const clock = {
  hold: () => wish('hold'),
  flow: () => wish('flow'),
  /** Lets so many seconds go by at once. */
  pass: (seconds) => wish(`pass ${seconds}`),
  /** Jumps over so many seconds, in which nothing goes on. */
  skip: (seconds) => wish(`skip ${seconds}`),
  /** How late it is, in seconds since 1970. */
  now: async () => Number(await wish('now')),
  /** No longer waits for replies. */
  leave: () => process.stdin.destroy(),
};
