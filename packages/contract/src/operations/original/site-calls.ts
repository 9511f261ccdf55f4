/**
 * Calls on sites that the original interface has beside those of its specification (decision 0306). Each is another way to
 * something that an operation of ours does, at the path and with the field names that the original documents.
 */
import { z } from 'zod'
import { dateTime, email, identifier, idParams, text } from '../../fields.ts'
import { DOCUMENT_BYTES_MAX, TEXT_CHARS_MAX } from '../../limits.ts'
import { BLOCK_LIST_CHARS_MAX } from '../../rules/block-rules.ts'
import { EXAMPLE } from '../examples.ts'
import { declareOperations } from '../operation.ts'
import { apiDefinition, exampleSite, OPENING_ERRORS, site } from '../sites.ts'

/** What is answered where there is nothing to say. */
const nothing = z.object({})

/** A researcher on the list of a site. The id is that of the researcher. */
const listEntry = z.object({ id: z.string(), email: z.string(), siteId: z.string() })

const exampleEntry = { id: EXAMPLE.hackerId, email: EXAMPLE.email, siteId: EXAMPLE.siteId }
const exampleRules = '[{"pathPrefix":"/admin","methods":["*"],"status":403,"enabled":true}]'

export const originalSiteOperations = declareOperations({
  sitesEnableByGet: {
    path: '/api/Sites/enable/{id}',
    summary: 'Open a site',
    description:
      'As the POST of the same path. (A GET that changes state is what the original interface has; answers carry `Cache-Control: no-store`.)',
    permission: 'sites:write',
    errors: OPENING_ERRORS,
    params: idParams,
    response: site,
    versioned: true,
    examples: { response: exampleSite },
  },
  sitesStart: {
    method: 'POST',
    path: '/api/Sites/start',
    summary: 'Say when a site opens',
    description:
      'The site is switched on, and open from `startDate` on. Until then it is closed. A `stopDate` that has passed becomes what `disable` replaced, or open-ended.',
    permission: 'sites:write',
    errors: OPENING_ERRORS,
    body: z.object({ id: identifier, startDate: dateTime }),
    response: site,
    versioned: true,
    examples: { body: { id: EXAMPLE.siteId, startDate: EXAMPLE.time }, response: exampleSite },
  },
  sitesStop: {
    method: 'POST',
    path: '/api/Sites/stop',
    summary: 'Say when a site closes',
    description: 'An open site closes at `stopDate`. One before its `startDate` is a 400.',
    permission: 'sites:write',
    errors: OPENING_ERRORS,
    body: z.object({ id: identifier, stopDate: dateTime }),
    response: site,
    versioned: true,
    examples: { body: { id: EXAMPLE.siteId, stopDate: '2099-12-24T18:00:00.000Z' }, response: exampleSite },
  },
  sitesSetCredentials: {
    method: 'POST',
    path: '/api/Sites/credentials',
    summary: 'Replace the credentials of a site',
    description: 'They are encrypted at rest, and shown to the researchers of the site.',
    permission: 'sites:write',
    body: z.object({ id: identifier, credentials: text(TEXT_CHARS_MAX) }),
    response: site,
    versioned: true,
    examples: { body: { id: EXAMPLE.siteId, credentials: 'tester / correct horse' }, response: exampleSite },
  },
  sitesSetInstructions: {
    method: 'POST',
    path: '/api/Sites/instructions',
    summary: 'Replace the instructions of a site',
    description: 'Researchers read them on their page.',
    permission: 'sites:write',
    body: z.object({ id: identifier, instructions: text(TEXT_CHARS_MAX) }),
    response: site,
    versioned: true,
    examples: {
      body: { id: EXAMPLE.siteId, instructions: 'Please leave /checkout alone.' },
      response: exampleSite,
    },
  },
  sitesListHackerEmails: {
    path: '/api/Sites/getHackers/{id}',
    summary: 'Read the researcher list of a site, with e-mail addresses',
    description: 'An array, sorted by address. The list is in force while `hasCustomList` is true.',
    permission: 'sites:read',
    params: idParams,
    response: z.array(listEntry),
    examples: { response: [exampleEntry] },
  },
  sitesAddHacker: {
    method: 'POST',
    path: '/api/Sites/addHacker',
    summary: 'Put an e-mail address on the researcher list of a site',
    description:
      'Answers the whole list. An address that no researcher of the organization has becomes one, without a key or invitation: nobody enters by it until somebody makes one of these. One that is on the list already is a 400.',
    permission: 'sites:write',
    body: z.object({ siteId: identifier, email }),
    response: z.array(listEntry),
    errors: ['conflict'],
    examples: { body: { siteId: EXAMPLE.siteId, email: EXAMPLE.email }, response: [exampleEntry] },
  },
  sitesRemoveHacker: {
    method: 'POST',
    path: '/api/Sites/removeHacker',
    summary: 'Take a researcher off the list of a site',
    description:
      'The researcher stays one of the organization. 404 where `id` is not on the list; 400 where `email` is not the address of that researcher.',
    permission: 'sites:write',
    body: z.object({ id: identifier, siteId: identifier, email }),
    response: nothing,
    examples: { body: exampleEntry, response: {} },
  },
  sitesGetBlockListJson: {
    path: '/api/Sites/{id}/blocklist',
    summary: 'Read the block rules of a site',
    description:
      '`blockListJson` is a JSON array in a string, `[]` where there are none. `methods` is `["*"]` of a rule that covers all of them.',
    permission: 'sites:read',
    params: idParams,
    response: z.object({ blockListJson: z.string() }),
    versioned: true,
    examples: { response: { blockListJson: exampleRules } },
  },
  sitesSetBlockListJson: {
    method: 'POST',
    path: '/api/Sites/blocklist',
    summary: 'Replace the block rules of a site',
    description: 'As setBlockList, by other names. `[]` removes all rules.',
    permission: 'sites:write',
    body: z.object({ siteId: identifier, blockListJson: text(BLOCK_LIST_CHARS_MAX) }),
    response: nothing,
    examples: { body: { siteId: EXAMPLE.siteId, blockListJson: exampleRules }, response: {} },
  },
  sitesUploadOpenApiSchema: {
    method: 'POST',
    path: '/api/Sites/uploadOpenAPISchema',
    summary: 'Upload the API definition of a site',
    description:
      'A form (multipart/form-data) with `siteId` and `file`, an OpenAPI document whose name ends in `.json`, `.yaml` or `.yml`. It is read, bounded and stored as by the PUT of the definition. `url` is where it is read.',
    permission: 'sites:write',
    body: z.object({ siteId: identifier, file: apiDefinition }),
    consumes: 'form',
    bodyBytesMax: DOCUMENT_BYTES_MAX,
    errors: ['conflict'],
    response: z.object({ message: z.string(), fileName: z.string(), url: z.string() }),
    examples: {
      body: {
        siteId: EXAMPLE.siteId,
        file: { openapi: '3.1.0', info: { title: 'Shop', version: '1' }, paths: {} },
      },
      response: {
        message: 'File uploaded successfully',
        fileName: 'openapi.json',
        url: `/api/Sites/getAPIdefinition/${EXAMPLE.siteId}`,
      },
    },
  },
})
