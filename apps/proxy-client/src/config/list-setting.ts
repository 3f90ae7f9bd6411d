import { HostList } from '../routing/rules/host-list.js';
import { fileSourceOf, withoutQuery } from './file-source.js';
import { LIST_FORMATS } from '../routing/rules/list-formats.js';
import type { ConfigLocation } from './config-faults.js';
import { defaultsOf, hasKey, key, object, refine, setting, titled, type ValueReader } from './setting.js';
import { duration, listOrFile, oneOf, text } from './value-reader.js';

const listGroup = titled(
  'HostListOptions',
  'A list of hosts: a file, or a URL.',
  object({
    file: key(text(4096), 'The path of the list, relative to the configuration file. It is watched.'),
    url: key(text(4096), 'The address of the list, http or https. It is loaded at the start and then periodically.'),
    format: key(
      oneOf('auto', ...LIST_FORMATS),
      'The format of the list; auto: recognized by its first lines. Absent: for a URL auto; for a file one entry per line, as in hosts, each of which must be valid.',
    ),
    refresh: key(duration, 'How often a URL is loaded again, at least 1m.', '24h'),
    via: key(text(64), 'The upstream through which a URL is loaded, or direct; absent: the first upstream.'),
  }),
);
const DEFAULTS = defaultsOf(listGroup);

/** Reads `{ file, format }` or `{ url }`. Its content is loaded later. */
const listReference: ValueReader<HostList> = refine(listGroup, (read, location) => {
  const source = fileSourceOf({ ...read, refresh: read.refresh ?? DEFAULTS.refresh }, read, location);
  if (source === undefined) return undefined;
  const format = read.format === 'auto' ? undefined : read.format;
  const name = read.file ?? withoutQuery(read.url ?? '');
  return new HostList({ source, format, name, setBy: { source: location.source, key: location.key } });
});

/** An entry of `hosts`: text, or a list. */
export type HostEntry = string | HostList;

/**
 * Reads `hosts`: entries and lists, or one list. `{ file }` without a format has one entry per line.
 *
 * @param item - reads an entry
 */
export function hostsSetting(
  item: ValueReader<string>,
  whenEmpty: string,
): ValueReader<Iterable<HostEntry | undefined>> {
  const ownFile = listOrFile(item, whenEmpty);
  const readOne = (value: unknown, location: ConfigLocation): Iterable<HostEntry | undefined> | undefined => {
    if (!(value instanceof Map)) {
      const entry = item(value, location);
      return entry === undefined ? undefined : [entry];
    }
    if (value.size === 1 && hasKey(value, 'file')) return ownFile(value, location);
    const list = listReference(value, location);
    return list === undefined ? undefined : [list];
  };
  const json = {
    anyOf: [{ type: 'array', items: { anyOf: [item.json, listGroup.json] }, minItems: 1 }, listGroup.json],
  } as const;
  return setting<Iterable<HostEntry | undefined>>(json, (value, location) => {
    if (value instanceof Map) return readOne(value, location);
    if (!Array.isArray(value) || value.length === 0) return ownFile(value, location);
    const parts = value.map((entry: unknown, index) => readOne(entry, location.child(`[${index}]`)) ?? []);
    return flattened(parts);
  });
}

function* flattened<T>(parts: readonly Iterable<T>[]): Generator<T> {
  for (const part of parts) yield* part;
}
