import { formatAuthority } from '../http/authority.js';
import { MAX_PAC_BYTES, type PacScript } from '../rules/pac-script.js';
import { isUnspecified, type OwnPlace } from '../rules/own-places.js';
import { hostOf } from './host-header.js';

export const PAC_PATH = '/proxy.pac';
/** What browsers take for a proxy auto-configuration file. */
export const PAC_TYPE = 'application/x-ns-proxy-autoconfig';
const TEXT_TYPE = 'text/plain; charset=utf-8';

/** What is answered to whoever asks for /proxy.pac. */
export interface PacPage {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const NO_LISTENER: PacPage = {
  status: 404,
  type: TEXT_TYPE,
  text: 'No listener of this proxy speaks HTTP (mode http or mixed): there is nothing that the file could name.\n',
};
const TOO_LONG: PacPage = {
  status: 500,
  type: TEXT_TYPE,
  text:
    `The rules up to the last direct one make a file of more than ${MAX_PAC_BYTES} bytes, which browsers do not read. ` +
    'Put the rules to direct first, or name fewer hosts in those before them.\n',
};

/**
 * The page, which names a listener at the address that it is bound to, or, where that is every address, under the name by
 * which the page was asked for.
 *
 * @param place - undefined: there is none to name
 * @param authority - the Host, which is trusted by now
 */
export function pacPage(script: PacScript, place: OwnPlace | undefined, authority: string | undefined): PacPage {
  if (place === undefined) return NO_LISTENER;
  if (!script.fits) return TOO_LONG;
  const { address, port } = place;
  const asked = authority === undefined ? undefined : hostOf(authority);
  const host = isUnspecified(address) && asked !== undefined ? asked : address;
  return { status: 200, type: PAC_TYPE, text: script.naming(formatAuthority({ host, port })) };
}
