const BYTES = new Set(['Uint8Array', 'Buffer']);

/**
 * Forbids `slice` on bytes. `Uint8Array.slice` copies, `Buffer.slice` returns a view, and a Buffer is accepted wherever a Uint8Array is:
 * code that works in a test with one of them fails with the other.
 */
export const noSliceOnBytes = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      slice:
        '`slice` copies a Uint8Array but not a Buffer: `subarray` is a view, `new Uint8Array(bytes)` a copy of either.',
    },
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    return {
      'MemberExpression[property.name="slice"]'(node) {
        if (isBytes(services.getTypeAtLocation(node.object))) {
          context.report({ node: node.property, messageId: 'slice' });
        }
      },
    };
  },
};

/** Returns whether a value of this type may be a Uint8Array or a Buffer. */
function isBytes(type) {
  if (type.isUnionOrIntersection()) return type.types.some(isBytes);
  const bound = type.isTypeParameter() ? type.getConstraint() : undefined;
  return bound === undefined ? BYTES.has(type.symbol?.name) : isBytes(bound);
}
