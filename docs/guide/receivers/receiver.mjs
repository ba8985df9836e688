// Recibe los avisos de los enlaces de pago · Receives the events of payment links.
//
// WEBHOOK_SECRET=… node receiver.mjs 9000

import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

// El secreto y, mientras dure una rotación, el anterior · The secret and, during a rotation, the former one.
const SECRETS = [process.env.WEBHOOK_SECRET, process.env.WEBHOOK_SECRET_OLD].filter(Boolean);
// Para preguntar de vuelta, si se quiere · To ask back, if wanted.
const { COTEJO, KEY } = process.env;
// Si se entrega también por el banco de prueba · Whether goods go out for the sandbox too.
const TEST = process.env.TEST === '1';
// El registro propio; en la tienda, su base de datos · The record of one's own; in a shop, its database.
const RECORD = process.env.RECORD || 'payments';

const AGE_SECONDS_MAX = 300;
const BODY_BYTES_MAX = 1 << 20;
const BODY_MILLISECONDS_MAX = 10_000;
const ASK_MILLISECONDS_MAX = 5_000;

if (!process.env.WEBHOOK_SECRET) throw new Error('WEBHOOK_SECRET?');
mkdirSync(RECORD, { recursive: true });

/** Sobre los bytes como llegaron, antes de leerlos · On the bytes as they came, before reading them. */
function isAuthentic(headers, body) {
  const timestamp = headers['x-service-timestamp'] ?? '';
  const signature = Buffer.from(headers['x-service-signature'] ?? '');
  if (!/^[0-9]{1,15}$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > AGE_SECONDS_MAX) return false;
  return SECRETS.map((secret) => {
    const mac = createHmac('sha256', secret).update(`${timestamp}.`).update(body);
    const known = Buffer.from(`sha256=${mac.digest('hex')}`);
    return signature.length === known.length && timingSafeEqual(signature, known);
  }).includes(true);
}

/** Lo que dice el servicio; redirect_url no prueba nada · What the service says; redirect_url proves nothing. */
async function isPaid(link) {
  if (!COTEJO || !KEY) return true;
  // La llave no va a otra parte · The key goes nowhere else.
  const limits = { redirect: 'error', signal: AbortSignal.timeout(ASK_MILLISECONDS_MAX) };
  const answer = await fetch(`${COTEJO}/paymentlink/${link}/info`, { headers: { appKey: KEY }, ...limits });
  return (await answer.json()).data?.payment_link?.status === 'paid';
}

/**
 * Si es la primera vez. Un archivo por pago, que se crea una sola vez; en la tienda, una clave única · Whether it
 * is the first time. A file for each payment, which is created only once; in a shop, a unique key.
 *
 * En la tienda: el pedido se busca por el id del enlace que usted guardó al crearlo, y se compara el monto; nunca por
 * metadata, que escribe quien haga el enlace. Lo que no es suyo: 204 y nada más · In a shop: find the order by the
 * link id that you kept when you made the link, and compare the amount; never by metadata, which the maker of a link
 * writes. What is not yours: 204 and nothing else.
 */
function record(link, reference) {
  try {
    writeFileSync(`${RECORD}/${link}-${reference}`, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Lo que hace falta del aviso, o nada · What is needed of the notice, or nothing. */
function read(body) {
  try {
    const notice = JSON.parse(body.toString('utf8'));
    const needed = [notice.status, notice.payment_link_id, notice.user_bank_payment?.bank_reference_id ?? ''];
    const isWhole = needed.every((text) => typeof text === 'string' && /^\w*$/.test(text));
    return isWhole ? [...needed, notice.livemode] : null;
  } catch {
    return null;
  }
}

/** El estado HTTP con que se responde · The HTTP status to answer with. */
async function take(headers, body) {
  if (!isAuthentic(headers, body)) return 401;
  const needed = read(body);
  if (!needed) return 400;
  const [status, link, reference, livemode] = needed;
  // Vencido, fallido o anulado no es pagado · Expired, failed or called off is not paid.
  if (status !== 'paid' || !reference) {
    console.log(`${status} ${link}: no es un pago / not a payment`);
    return 204;
  }
  if (livemode !== true && !TEST) {
    console.log(`paid ${link}: de prueba, no es dinero / a test, no money`);
    return 204;
  }
  if (!(await isPaid(link).catch(() => false))) return 503;
  try {
    // Lo repetido también es un éxito · What is repeated is a success too.
    if (record(link, reference)) {
      // Desde el registro se entrega, una vez · From the record it is delivered, once.
      console.log(`paid ${link} ${reference}`);
    }
  } catch {
    return 500;
  }
  return 204;
}

/** El cuerpo, o nada si es demasiado largo · The body, or nothing where it is too long. */
async function bodyOf(request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > BODY_BYTES_MAX) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const server = createServer(async (request, response) => {
  try {
    const body = request.method === 'POST' ? await bodyOf(request) : Buffer.alloc(0);
    const status = request.method === 'POST' ? (body ? await take(request.headers, body) : 413) : 405;
    response.writeHead(status, status === 413 ? { connection: 'close' } : {}).end();
  } catch {
    // Quien llamaba se fue · The caller is gone.
    response.destroy();
  }
});
server.requestTimeout = BODY_MILLISECONDS_MAX;
server.listen(Number(process.argv[2]), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
