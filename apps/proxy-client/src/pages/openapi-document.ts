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
    .addTag('monitoring')
    .addTag('upstreams', 'On the admin listener only.')
    // First the server that gave the document: a page from localhost must not be sent to 127.0.0.1, another origin.
    .addServer('/', 'this server')
    .addServer('http://127.0.0.1:8080', 'the proxy itself');
  return SwaggerModule.createDocument(app, builder.build());
}
