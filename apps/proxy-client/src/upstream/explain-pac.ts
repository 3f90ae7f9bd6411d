import type { Target } from '../http/authority.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { PacUpstream } from './pac-upstream.js';

/** Evaluates the PAC script of a route, and explains its answer. No connection is opened. */
export async function explainPac(
  script: PacUpstream | undefined,
  target: Target,
): Promise<{ readonly pac: string | null; readonly lines: readonly string[] }> {
  if (script === undefined) return { pac: null, lines: [] };
  const { answer, way } = await script.choose({ target, client: {} });
  const next = way instanceof ProxyFailure ? `so the request fails: ${way.text}` : `so the request goes to ${way.name}`;
  return { pac: answer.text, lines: [`the script returned for ${answer.url}: ${answer.text}`, next] };
}
