// The app on somebody's phone that shows the codes of a second factor, and the paper with the codes for when it is lost.
import { createHmac } from 'node:crypto';

import { clock } from './world.mjs';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function bytesOf(secret) {
  const bits = Array.from(secret, (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
}

/** The app that has taken this secret. */
export function authenticator(secret) {
  let recovery = [];
  return {
    /** The code of now (RFC 6238). */
    async code() {
      const step = Buffer.alloc(8);
      step.writeBigUInt64BE(BigInt(Math.floor((await clock.now()) / 30)));
      const mac = createHmac('sha1', bytesOf(secret)).update(step).digest();
      const number = mac.readUInt32BE(mac.at(-1) & 0xf) & 0x7fffffff;
      return String(number % 1_000_000).padStart(6, '0');
    },
    /** Writes the recovery codes down. */
    keep(codes) {
      recovery = codes.trim().split(/\s+/);
    },
    /** A recovery code that was not used yet. */
    recover: () => recovery.pop(),
  };
}
