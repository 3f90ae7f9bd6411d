import { type Buffer } from 'node:buffer';
import { messageField, stringField } from '../proto-fields.js';

/** A value or policy with the policy that guards its change. */
export interface ConfigItem {
  /** The fields of the message. */
  readonly fields: readonly Uint8Array[];
  readonly modPolicy: string;
}

/** A node of the configuration tree: message `common.ConfigGroup` at version 0. */
export interface ConfigGroup {
  readonly groups?: Readonly<Record<string, ConfigGroup>>;
  readonly values: Readonly<Record<string, ConfigItem>>;
  readonly policies: Readonly<Record<string, ConfigItem>>;
}

const ADMINS = 'Admins';

/** An item that the group's own administrators may change. */
export function item(...fields: readonly Uint8Array[]): ConfigItem {
  return { fields, modPolicy: ADMINS };
}

/** The fields of a group; its maps in the order of their keys, so that the same configuration has the same bytes. */
export function groupFields({ groups = {}, values, policies }: ConfigGroup): Buffer[] {
  return [
    ...entries(groups).map(([name, group]) => mapEntry(2, name, groupFields(group))),
    ...entries(values).map(([name, value]) => mapEntry(3, name, itemFields(value))),
    ...entries(policies).map(([name, policy]) => mapEntry(4, name, itemFields(policy))),
    stringField(5, ADMINS),
  ];
}

/** `ConfigValue` and `ConfigPolicy` have the same form. */
function itemFields({ fields, modPolicy }: ConfigItem): readonly Uint8Array[] {
  const content = fields.some((field) => field.length > 0) ? [messageField(2, ...fields)] : [];
  return [...content, stringField(3, modPolicy)];
}

function mapEntry(number: number, key: string, value: readonly Uint8Array[]): Buffer {
  return messageField(number, stringField(1, key), messageField(2, ...value));
}

function entries<T>(map: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
}
