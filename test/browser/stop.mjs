// After the tests of the pages: ends their browser.
export default async function stop() {
  await globalThis.browserOfTests?.close();
}
