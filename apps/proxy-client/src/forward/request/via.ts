import { createHmac, randomBytes } from 'node:crypto';
import type { Target } from '../../upstream/upstream.js';

const TOKEN_LENGTH = 16;

/**
 * This proxy's name in Via (RFC 9110, section 7.6.3): another one for each target, made with a secret of the process.
 * We recognise it; to everyone else it neither tells who the proxy is nor links two targets.
 */
export class ViaTokens {
  readonly #secret: Buffer;

  constructor(secret: Buffer = randomBytes(32)) {
    this.#secret = secret;
  }

  tokenFor({ host, port }: Target): string {
    return createHmac('sha256', this.#secret).update(`${host}:${port}`).digest('hex').slice(0, TOKEN_LENGTH);
  }
}

/** Whether `via` (values of Via, joined by commas) names `token` as one that the message has passed. */
export function hasPassed(via: string, token: string): boolean {
  if (!via.includes(token)) return false;
  return via.split(',').some((member) => member.trim().split(/[ \t]+/)[1] === token);
}
