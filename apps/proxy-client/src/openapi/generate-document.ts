import type { OpenAPIObject } from '@nestjs/swagger';
import { ProxyStats } from '#metrics';
import { AppModule } from '../app.module.js';
import { createApplication } from '../pages.setup.js';
import { openApiDocument } from './openapi-document.js';

/** The document of the monitoring API, as it is committed under docs/openapi. */
export async function generateDocument(): Promise<OpenAPIObject> {
  const app = await createApplication(AppModule.forRoot(new ProxyStats()));
  await app.init();
  const document = openApiDocument(app);
  await app.close();
  return document;
}
