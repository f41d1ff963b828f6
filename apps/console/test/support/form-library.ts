import type { Files } from '../../../../test/support/write-files.js';

/** A library with tools whose schemas use what 2020-12 has: references, alternatives, constants, lists of lists, defaults. */
export const FORM_LIBRARY: Files = {
  'plugins/desk/plugin.yaml': `
name: desk
displayName: Desk
version: 1.0.0
description: Tools that people answer and try.
tools:
  - id: desk:ship
    displayName: Ship
    description: Asks a person to ship an order.
    parameters:
      type: object
      properties:
        to: { $ref: '#/$defs/address' }
        count: { type: integer, default: 3, description: How many parcels }
        weight: { type: number }
        fragile: { type: boolean }
        speed: { enum: [slow, fast] }
        rows: { type: array, items: { type: array, items: { type: number } } }
        payment:
          oneOf:
            - { title: Card, type: object, properties: { kind: { const: card }, number: { type: string } }, required: [kind, number] }
            - { title: Bill, type: object, properties: { kind: { const: bill }, days: { type: integer } }, required: [kind, days] }
        odd: { not: { type: string } }
      required: [to]
      $defs:
        address:
          type: object
          properties: { street: { type: string, title: Street }, city: { type: string } }
          required: [street]
    output:
      type: object
      properties:
        ok: { type: boolean, title: Shipped }
        note: { type: string }
      required: [ok]
    implementation: { type: external }
  - id: desk:free
    displayName: Free
    description: Asks a person, who may answer anything.
    parameters: { type: object, properties: {} }
    implementation: { type: external }
`,
};
