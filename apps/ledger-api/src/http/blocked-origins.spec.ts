import { describe, expect, it } from '@jest/globals';
import type { Logger } from 'pino';
import { BlockedOrigins } from './blocked-origins.js';

function reportAll(origins: readonly string[]): string[] {
  const logged: string[] = [];
  const logger = { warn: ({ origin }: { origin: string }) => logged.push(origin) } as unknown as Logger;
  const blocked = new BlockedOrigins(logger);
  for (const origin of origins) blocked.report(origin);
  return logged;
}

describe('BlockedOrigins', () => {
  it('logs each origin once', () => {
    expect(reportAll(['https://a.example', 'https://b.example', 'https://a.example'])).toEqual([
      'https://a.example',
      'https://b.example',
    ]);
  });

  it('logs no more than 100 origins, and no more than 200 characters of each', () => {
    const logged = reportAll(Array.from({ length: 1000 }, (_, index) => `https://${index}.${'x'.repeat(5000)}`));
    expect(logged).toHaveLength(100);
    expect(Math.max(...logged.map(({ length }) => length))).toBe(200);
  });
});
