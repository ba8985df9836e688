// A person of a client is invited, and sees what is the client's.
import assert from 'node:assert/strict';

import { journey } from './page.mjs';
import { lookAround, signIn } from './panel.mjs';
import { accept, CHOSEN, client } from './stock.mjs';
import { ask, session } from './world.mjs';

const PERSON = { name: 'Marta Salas', email: 'marta@sucursal.example' };

await journey(async ({ onPhone }) => {
  const owner = await session();
  await accept(await ask(owner, 'POST', `/v1/clients/${await client(owner)}/invitation`, PERSON));
  const person = await onPhone();
  await signIn(person, PERSON.email, CHOSEN);
  const seen = await lookAround(person);
  assert.ok(seen.includes('/app/payments') && !seen.includes('/app/rates'), seen);
});
