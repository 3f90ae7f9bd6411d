const quiet = (): void => undefined;

/**
 * Keeps the SDK from writing every failure to the console with its stack: what matters of it comes back as errors. It
 * has to be called before the SDK is loaded, which looks here for a logger.
 */
export function quietSdk(): void {
  const place = globalThis as { hfc?: { readonly logger: unknown } };
  place.hfc ??= { logger: { error: quiet, warn: quiet, info: quiet, debug: quiet } };
}
