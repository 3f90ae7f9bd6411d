/** Returns the query of a URL or of a fragment with a parameter set, or removed if the value is undefined. */
export function withParameter(url: string, name: string, value: string | undefined): string {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  if (value === undefined) parameters.delete(name);
  else parameters.set(name, value);
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}

/** Replaces the URL in the address bar, without a navigation and without an entry in the browser's history. */
export function replaceUrl(url: string): void {
  history.replaceState(history.state, '', url);
}
