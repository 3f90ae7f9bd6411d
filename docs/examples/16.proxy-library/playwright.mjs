// Playwright behind a SOCKS5 server with a password: Chromium itself cannot log in to one.
import { chromium } from 'playwright-core';
import { anonymize } from 'proxy-client';

const { UPSTREAM = 'socks5://me:secret@127.0.0.1:1080', SITE = 'http://example.com/', CHROMIUM } = process.env;

const proxy = await anonymize(UPSTREAM);
const browser = await chromium.launch({ executablePath: CHROMIUM, proxy: { server: proxy.url } });
try {
  const page = await browser.newPage();
  await page.goto(SITE);
  console.log(await page.title());
} finally {
  await browser.close();
  await proxy.close();
}
