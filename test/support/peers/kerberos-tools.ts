import type { Tool } from '../proxy/with-tool.js';

const SQUID: Tool = { name: 'squid', variable: 'SQUID', names: ['squid'] };
/** A helper of squid. */
const HELPER: Tool = {
  name: 'negotiate_kerberos_auth',
  variable: 'NEGOTIATE_KERBEROS_AUTH',
  names: ['negotiate_kerberos_auth'],
};

/** The programs of a realm with a proxy: squid and its helper are the first two. */
export const KERBEROS_TOOLS: readonly Tool[] = [
  SQUID,
  HELPER,
  { name: 'krb5kdc', variable: 'KRB5KDC', names: ['krb5kdc'] },
  { name: 'kadmin.local', variable: 'KADMIN_LOCAL', names: ['kadmin.local'] },
  { name: 'kinit', variable: 'KINIT', names: ['kinit'] },
];
