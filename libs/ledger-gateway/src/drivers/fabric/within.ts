/** Whether the promise is fulfilled within that time. */
export async function isWithin(milliseconds: number, promise: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(
    () => {
      late.resolve(false);
    },
    Math.max(0, milliseconds),
  );
  const isInTime = await Promise.race([promise.then(() => true), late.promise]);
  clearTimeout(timer);
  return isInTime;
}
