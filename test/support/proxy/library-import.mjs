// Preloaded by `node --import`: the package proxy-client is the library of `npm run build`, as the package contains it.
import { registerHooks } from 'node:module';

const url = new URL('../../../dist/apps/proxy-client/bundle/library/index.js', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'proxy-client' ? { url, format: 'module', shortCircuit: true } : next(specifier, context),
});
