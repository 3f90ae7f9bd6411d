import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ApiOkResponse, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { count, flag, listOf, oneOf, property, response, text, textOrNull, time } from './documentation.js';

class Item extends response({ name: text('Its name.', 'a') }) {}

class Whole extends response({
  at: time('When.'),
  kind: oneOf(['one', 'two'], 'Which.'),
  number: count('How many.', 3),
  isOpen: flag('Whether.', true),
  user: textOrNull('Who.', null),
  items: listOf(Item, 'The items.'),
  ratio: property<number>({ type: 'number', minimum: 0, maximum: 100 })('Percent.', 98.5),
}) {}

@Controller()
class Documented {
  @Get()
  @ApiOkResponse({ type: Whole })
  get(): void {
    // Only its documentation is read.
  }
}

@Module({ controllers: [Documented] })
class DocumentedModule {}

describe('the classes of responses', () => {
  it('are documented with the type, the limits, the description and the example of each property', async () => {
    const application = await NestFactory.create(DocumentedModule, new FastifyAdapter(), { logger: false });
    const { components } = SwaggerModule.createDocument(application, new DocumentBuilder().build());
    await application.close();
    const schema = components?.schemas?.['Whole'] as { readonly properties: object; readonly required: string[] };
    expect(schema.properties).toEqual({
      at: { type: 'string', format: 'date-time', description: 'When.', example: '2026-01-31T08:30:00.000Z' },
      kind: { type: 'string', enum: ['one', 'two'], description: 'Which.' },
      number: { type: 'integer', minimum: 0, description: 'How many.', example: 3 },
      isOpen: { type: 'boolean', description: 'Whether.', example: true },
      user: { type: 'string', nullable: true, description: 'Who.', example: null },
      items: { type: 'array', items: { $ref: '#/components/schemas/Item' }, description: 'The items.' },
      ratio: { type: 'number', minimum: 0, maximum: 100, description: 'Percent.', example: 98.5 },
    });
    // A client may rely on every property.
    expect(schema.required).toEqual(Object.keys(schema.properties));
  });
});
