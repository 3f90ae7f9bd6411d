const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Why nothing may be fetched from an issuer's URL; undefined when it may be. Apart from what fetches, which a program
 * without an issuer need not load.
 */
export function issuerUrlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return 'it is no URL';
  if (url.username !== '' || url.password !== '') return 'it holds credentials';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname))) return undefined;
  return 'it is not https, which only an issuer on loopback need not have';
}
