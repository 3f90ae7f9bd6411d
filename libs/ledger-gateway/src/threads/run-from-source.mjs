// Lets a worker thread run the TypeScript sources as they are, when there is no build (unit tests): Node strips the
// types itself; the `.js` of relative imports and the `source` condition of lib names are resolved here. What Node makes
// of the files is kept for the next thread: that takes 280 ms of CPU for each without, 85 with.
import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../../../../node_modules/.cache/threads', import.meta.url)));

registerHooks({
  resolve(specifier, context, next) {
    const source = { ...context, conditions: ['source', ...context.conditions] };
    try {
      return next(specifier, source);
    } catch (error) {
      if (!specifier.startsWith('.') || !specifier.endsWith('.js')) throw error;
      return next(`${specifier.slice(0, -3)}.ts`, source);
    }
  },
});
