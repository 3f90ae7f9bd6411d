/** A certificate of an authority whose fingerprint the user has confirmed. */
export interface ConfirmedRoot {
  readonly mspId: string;
  /** PEM. */
  readonly certificate: string;
  /** SHA-256 of the certificate. */
  readonly fingerprint: string;
}

/** Key in localStorage, which contains certificates only: no keys. */
const NAME = 'ledger-confirmed-certificates';

/** Returns the confirmed certificates; none where the browser stores nothing. */
export function confirmedRoots(): readonly ConfirmedRoot[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(NAME) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRoot) : [];
  } catch {
    return [];
  }
}

/** Stores the confirmed certificates of an organization instead of its previous ones; an empty list forgets them. */
export function storeRoots(mspId: string, roots: readonly ConfirmedRoot[]): void {
  const others = confirmedRoots().filter((root) => root.mspId !== mspId);
  try {
    localStorage.setItem(NAME, JSON.stringify([...others, ...roots]));
  } catch {
    // The browser stores nothing: the certificates must be chosen again.
  }
}

function isRoot(value: unknown): value is ConfirmedRoot {
  const { mspId, certificate, fingerprint } = (value ?? {}) as Record<keyof ConfirmedRoot, unknown>;
  return [mspId, certificate, fingerprint].every((each) => typeof each === 'string');
}
