import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

/** Generates the monitoring API's document from its controller and DTOs. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Proxy Client Monitoring API')
    .setDescription(
      'What an HTTP proxy through a SOCKS5 upstream shows of itself. Every request that is not for these two pages is forwarded.',
    )
    .setVersion('1.0')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addTag('monitoring', 'Counters and health of the proxy itself.')
    .addTag('listeners', 'On the admin listener only.')
    .addTag('upstreams', 'On the admin listener only.')
    .addTag('activity', 'On the admin listener only.')
    .addTag('browsers', 'On the admin listener, and on listeners with pac: true.')
    .addBearerAuth({ type: 'http', description: 'The admin token, where the admin listener asks for one.' })
    // First the server that gave the document: a page from localhost must not be sent to 127.0.0.1, another origin.
    .addServer('/', 'this server')
    .addServer('http://127.0.0.1:8080', 'the proxy itself');
  // These two pages ask nobody who it is, which a generated client would not take from a mere absence.
  return { ...SwaggerModule.createDocument(app, builder.build()), security: [] };
}
