import { API } from 'typescript-native/unstable/sync';

const BYTES = new Set(['Uint8Array', 'Buffer']);

/** The TypeScript compiler, started at the first file that is asked about. It ends with this process. */
let compiler;

/** Returns the project of a file, with the types of its values. */
function projectOf(file) {
  compiler ??= new API();
  return compiler.updateSnapshot({ openFiles: [file] }).getDefaultProjectForFile(file);
}

/**
 * Forbids `slice` on bytes. `Uint8Array.slice` copies, `Buffer.slice` returns a view, and a Buffer is accepted wherever a Uint8Array is:
 * code that works in a test with one of them fails with the other.
 */
const noSliceOnBytes = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      slice:
        '`slice` copies a Uint8Array but not a Buffer: `subarray` is a view, `new Uint8Array(bytes)` a copy of either.',
    },
  },
  create(context) {
    const properties = [];
    return {
      'MemberExpression[property.name="slice"]'({ property }) {
        properties.push(property);
      },
      'Program:exit'() {
        if (properties.length === 0) return;
        const positions = properties.map(({ range }) => range[0]);
        const methods = projectOf(context.filename).checker.getSymbolAtPosition(context.filename, positions);
        for (const [index, node] of properties.entries()) {
          if (isMethodOfBytes(methods[index])) context.report({ node, messageId: 'slice' });
        }
      },
    };
  },
};

/** Returns whether a method may be one of Uint8Array or Buffer. The method of a union has one declaration for each of its types. */
function isMethodOfBytes(method) {
  return method?.declarations.some((declaration) => BYTES.has(declaration.resolve()?.parent?.name?.text)) ?? false;
}

export default { meta: { name: 'workspace' }, rules: { 'no-slice-on-bytes': noSliceOnBytes } };
