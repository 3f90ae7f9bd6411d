import { PacFile } from '../routing/rules/loaded-file.js';
import type { ConfigLocation } from './config-faults.js';
import { fileSourceOf, withoutQuery } from './file-source.js';
import { defaultsOf, key as keyOf, object, orOff, titled } from './setting.js';
import { duration, oneOf, onOff, text } from './value-reader.js';

const pacGroup = titled(
  'PacOptions',
  'A PAC script that chooses the upstream of each request.',
  object({
    file: keyOf(text(4096), 'The path of the script, relative to the configuration file. It is watched.'),
    url: keyOf(text(4096), 'The address of the script, http or https, which is loaded directly.'),
    refresh: keyOf(duration, 'How often a URL is loaded again, at least 1m.', '1h'),
    resolve: keyOf(
      orOff(oneOf('system')),
      'off: names have no addresses for the script; system: they are resolved by this machine.',
      'off',
    ),
    direct: keyOf(onOff, 'Whether the script may choose direct connections.', 'off'),
  }),
);
const PAC_DEFAULTS = defaultsOf(pacGroup);
export const pacUpstream = object({ pac: keyOf(pacGroup, 'The script.') }, 'pac');

/** A PAC script that chooses the upstream. */
export interface PacConfig {
  readonly kind: 'pac';
  readonly file: PacFile;
  /** Whether names are resolved for the script. */
  readonly resolves: boolean;
  readonly direct: boolean;
}

/** Reads a PAC script that is an upstream. */
export function readPac(value: unknown, location: ConfigLocation): PacConfig | undefined {
  const pac = pacUpstream(value, location)?.pac;
  if (pac === undefined) return undefined;
  const child = location.child('pac');
  const refresh = pac.refresh ?? PAC_DEFAULTS.refresh;
  const source = fileSourceOf({ ...pac, refresh, via: 'direct' }, pac, child);
  if (source === undefined) return undefined;
  const { resolve = PAC_DEFAULTS.resolve, direct = PAC_DEFAULTS.direct } = pac;
  const name = pac.file ?? withoutQuery(pac.url ?? '');
  const file = new PacFile({ source, name, setBy: { source: child.source, key: child.key } });
  return { kind: 'pac', file, resolves: resolve === 'system', direct };
}
